import { unavailable } from '../../../errors.ts'

/**
 * Throws SERVICE_UNAVAILABLE after `deadlineAt` on `performance.now()`. By then, the merchant has received a timeout
 * and may have moved on, so no further change may start.
 */
export function refuseLate(deadlineAt: number): void {
  if (performance.now() >= deadlineAt) throw unavailable()
}
