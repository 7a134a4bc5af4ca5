import { maxAttempts } from '../deliveries/delivery.ts'

/**
 * Returns the wait in milliseconds after failed attempt number `attempts` (1 to 8), or null after the 8th, which makes the delivery DEAD.
 * `steps` are the seven waits of SPEC 6.4. An endpoint's Retry-After may lengthen a step to at most twice its length.
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
