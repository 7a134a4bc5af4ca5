/**
 * Returns the number of seconds until a time, for Retry-After: at least 1 and at most `maxMs`. If the time is null,
 * uses `maxMs`.
 */
export function secondsLeft(at: Date | null, now: Date, maxMs: number): number {
  const ms = at === null ? maxMs : at.getTime() - now.getTime()
  return Math.max(1, Math.ceil(Math.min(ms, maxMs) / 1000))
}
