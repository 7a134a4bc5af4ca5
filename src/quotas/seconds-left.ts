/** Seconds for Retry-After: at least 1, at most `longestMs`, which also applies while the instant is unknown. */
export function secondsLeft(at: Date | null, now: Date, longestMs: number): number {
  const ms = at === null ? longestMs : at.getTime() - now.getTime()
  return Math.max(1, Math.ceil(Math.min(ms, longestMs) / 1000))
}
