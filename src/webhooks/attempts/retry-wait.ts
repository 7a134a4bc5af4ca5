import { maxAttempts } from '../../../schemas/retry-table.ts'

/**
 * Returns how many milliseconds to wait after a failed attempt. `attempts` is that attempt's number, starting at 1.
 * Returns null after the last attempt, because the delivery is then DEAD. `steps` contains the wait times from the
 * retry table, in milliseconds. An endpoint's Retry-After header can extend a step to at most twice its length.
 */
export function waitAfter(attempts: number, steps: readonly number[], retryAfterSeconds: number | null): number | null {
  const step = steps[attempts - 1]
  if (attempts >= maxAttempts || step === undefined) return null
  return Math.min(Math.max(step, (retryAfterSeconds ?? 0) * 1000), step * 2)
}
