import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { countingMs, type Usage } from './quota.ts'
import { dayOf, startOf, withinDay } from './sandbox-day.ts'

/**
 * Counts the audit lines that a business's live or test keys have added in the current UTC day. The query reads only
 * the `byBusiness` index. Such acts are rare, so these counts are not batched.
 */
export async function countAuditLines(
  { AuditEvent, now }: Pick<Deps, 'AuditEvent' | 'now'>,
  businessId: string,
  sandbox: boolean,
): Promise<Usage> {
  const day = dayOf(now())
  const used = await AuditEvent.countDocuments(
    { businessId, at: { $gte: startOf(day) }, sandbox },
    { hint: 'byBusiness', maxTimeMS: countingMs },
  )
  return { used, freeAt: startOf(day + 1) }
}

/**
 * Runs an act of a merchant that adds a line to the audit trail, where it stays forever. Throws RATE_LIMITED without
 * running it if the business's live or test keys have added all their lines of the current UTC day. Deletions,
 * rotations of secrets and cancellations of replays also count, but are never refused.
 */
export async function withinAuditLines<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
  act: () => Promise<T>,
): Promise<T> {
  const limit = deps.config.auditLinesPerDay
  if (limit === null) return act()
  const message = `The ${sandbox ? 'test' : 'live'} keys of a business can change webhook endpoints, retry deliveries and replay events ${limit} times per UTC day. Wait until the next day.`
  const quota = sandbox ? deps.quotas.auditLinesOfTest : deps.quotas.auditLinesOfLive
  return withinDay(deps, quota, { businessId, amount: 1, limit, scope: 'audit', message }, act)
}
