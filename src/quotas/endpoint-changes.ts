import type { Act } from '../audit/acts.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { countingMs } from './count-batch.ts'
import { createQuota, type Quota, type Usage } from './quota.ts'
import { dayOf, startOf, withinDay } from './sandbox-day.ts'

/** The changes to endpoints that add an audit line. */
const changes = [
  'endpoint.created',
  'endpoint.changed',
  'endpoint.deleted',
  'endpoint.secret-rotated',
] as const satisfies Act[]

/**
 * Counts the audit lines that a business's changes to endpoints have added in the current UTC day. The query reads only
 * the `byBusiness` index. Changes to endpoints are rare, so these counts are not batched.
 */
export async function countEndpointChanges(
  { AuditEvent, now }: Pick<Deps, 'AuditEvent' | 'now'>,
  businessId: string,
): Promise<Usage> {
  const day = dayOf(now())
  const used = await AuditEvent.countDocuments(
    { businessId, at: { $gte: startOf(day) }, act: { $in: changes } },
    { hint: 'byBusiness', maxTimeMS: countingMs },
  )
  return { used, freeAt: startOf(day + 1) }
}

export const createEndpointChangeQuota = (deps: Pick<Deps, 'AuditEvent' | 'now'>, elapsedMs: () => number): Quota =>
  createQuota((businessId) => countEndpointChanges(deps, businessId), elapsedMs)

/**
 * Runs a change to an endpoint. Throws RATE_LIMITED without running it if the business has used up its changes of the
 * current UTC day. Each change adds a line to the audit trail, where it stays forever.
 */
export async function withinEndpointChanges<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  { businessId }: Pick<Caller, 'businessId'>,
  change: () => Promise<T>,
): Promise<T> {
  const limit = deps.config.endpointChangesPerDay
  if (limit === null) return change()
  const message = `A business can change webhook endpoints ${limit} times per UTC day. Wait until the next day.`
  return withinDay(deps, deps.quotas.endpointChanges, { businessId, amount: 1, limit, scope: 'key', message }, change)
}
