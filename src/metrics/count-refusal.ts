import type { Refusal } from '../errors.ts'
import type { Metrics } from './metrics.ts'

/** Counts RATE_LIMITED errors by scope. */
export function countRefusal({ rateLimited }: Metrics, { code, extras }: Refusal): void {
  if (code === 'RATE_LIMITED') rateLimited.inc({ scope: (extras.details as { scope: string }).scope })
}
