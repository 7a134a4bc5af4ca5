/** For Retry-After: at least one second, at most `longestMs`, which also stands for an instant that nobody knows. */
export function secondsUntil(at: Date | null, now: Date, longestMs: number): number {
  const ms = at === null ? longestMs : at.getTime() - now.getTime()
  return Math.max(1, Math.ceil(Math.min(ms, longestMs) / 1000))
}
