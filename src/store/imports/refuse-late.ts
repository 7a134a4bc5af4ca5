import { unavailable } from '../../errors.ts'

/**
 * Throws SERVICE_UNAVAILABLE if `deadlineAt` has passed on the clock of `performance.now()`. By then, the merchant has
 * received a timeout error and may have continued without the result, so the request must not make any more changes.
 */
export function refuseLate(deadlineAt: number): void {
  if (performance.now() >= deadlineAt) throw unavailable()
}
