/**
 * Returns the number of seconds until `at`, for a Retry-After header. The result is at least 1 and never longer than
 * `maxMs`, which is also the default if `at` is null.
 */
export function secondsLeft(at: Date | null, now: Date, maxMs: number): number {
  const ms = at === null ? maxMs : at.getTime() - now.getTime()
  return Math.max(1, Math.ceil(Math.min(ms, maxMs) / 1000))
}
