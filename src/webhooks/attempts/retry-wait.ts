import { maxAttempts } from '../../../schemas/retry-table.ts'

/**
 * Returns the wait in milliseconds after failed attempt number `attempts`, counted from 1. Returns null after the last
 * attempt: the delivery becomes DEAD. `steps` are the waits of the retry table. An endpoint's Retry-After may lengthen
 * a step to at most twice its length.
 */
export function waitAfter(
  attempts: number,
  steps: readonly number[],
  retryAfterSeconds: number | null,
): number | null {
  const step = steps[attempts - 1]
  if (attempts >= maxAttempts || step === undefined) return null
  return Math.min(Math.max(step, (retryAfterSeconds ?? 0) * 1000), step * 2)
}
