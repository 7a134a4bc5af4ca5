import { unavailable } from '../../../errors.ts'

/**
 * Throws SERVICE_UNAVAILABLE after `deadlineAt`, which is on the clock of `performance.now()`. By then, the merchant
 * has received a timeout and may have moved on, so no further changes may be made.
 */
export function refuseLate(deadlineAt: number): void {
  if (performance.now() >= deadlineAt) throw unavailable()
}
