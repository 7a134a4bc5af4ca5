/**
 * Returns the seconds until an instant for Retry-After: at least 1, at most `maxMs`, which also applies if it is
 * unknown.
 */
export function secondsLeft(at: Date | null, now: Date, maxMs: number): number {
  const ms = at === null ? maxMs : at.getTime() - now.getTime()
  return Math.max(1, Math.ceil(Math.min(ms, maxMs) / 1000))
}
