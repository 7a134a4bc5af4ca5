import { unavailable } from '../../../errors.ts'

/**
 * SERVICE_UNAVAILABLE once `deadlineAt` on `performance.now()` is past: the merchant was told that nobody knows, and may have gone on since, so that nothing
 * may begin to happen behind their back.
 */
export function refuseLate(deadlineAt: number): void {
  if (performance.now() >= deadlineAt) throw unavailable()
}
