import { unavailable } from '../../../errors.ts'

/**
 * Throws SERVICE_UNAVAILABLE after `deadlineAt` on `performance.now()`. By then the merchant has got a timeout and may
 * have gone on, so no change may start any more.
 */
export function refuseLate(deadlineAt: number): void {
  if (performance.now() >= deadlineAt) throw unavailable()
}
