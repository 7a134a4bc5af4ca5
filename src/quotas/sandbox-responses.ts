import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { type Counted, countingMs } from './quota.ts'
import { dayOf, sandboxLimit, startOf, withinDay } from './sandbox-day.ts'

/**
 * The number of responses that may be stored for each intent that test keys may create: one for its payment and one for
 * its refund.
 */
const perCreate = 2

/**
 * Counts the responses that have been stored for requests with test keys in the current UTC day. The query reads only
 * an index. Successful creates of intents store none, so they are not counted.
 */
export async function countSandboxResponses(
  { StoredResponse, now }: Pick<Deps, 'StoredResponse' | 'now'>,
  businessIds: string[],
): Promise<Counted[]> {
  const tomorrow = startOf(dayOf(now()) + 1)
  const counted = await StoredResponse.aggregate<Omit<Counted, 'freeAt'>>([
    { $match: { sandboxOf: { $in: businessIds }, expiresAt: { $gte: tomorrow } } },
    { $group: { _id: '$sandboxOf', used: { $sum: 1 } } },
  ])
    .option({ maxTimeMS: countingMs })
    .exec()
  return counted.map((each) => ({ ...each, freeAt: tomorrow }))
}

/**
 * Returns the maximum number of responses that may be stored for a business's test keys in a UTC day, or null if there
 * is no limit.
 */
export function sandboxResponseLimit(deps: Pick<Deps, 'config'>, business: Pick<Caller, 'limits'>): number | null {
  const creates = sandboxLimit(deps, business)
  return creates === null ? null : creates * perCreate
}

/**
 * Runs a write that may store its response. If the request was made with a test key and the business's
 * quota is used up, throws RATE_LIMITED and does not run the write, unless the operation is never limited. Each of
 * these writes stores a response and may cause an event, so the quota also limits the number of deliveries.
 */
export async function withinSandboxResponses<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  caller: Caller,
  { isNeverLimited }: { isNeverLimited: boolean },
  write: () => Promise<T>,
): Promise<T> {
  const limit = sandboxResponseLimit(deps, caller)
  if (!caller.sandbox || limit === null) return write()
  return withinDay(
    deps,
    deps.quotas.sandboxResponses,
    {
      businessId: caller.businessId,
      amount: 1,
      limit: isNeverLimited ? Number.POSITIVE_INFINITY : limit,
      scope: 'sandbox',
      message: `The test keys of this business can make ${limit} writes per UTC day, not counting successful creates. Wait until the next day.`,
    },
    write,
  )
}
