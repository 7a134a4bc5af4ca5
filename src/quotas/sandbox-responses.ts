import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { batchCounts, type Counted, countingMs } from './count-batch.ts'
import { createQuota, type Quota } from './quota.ts'
import { dayOf, sandboxLimit, startOf, withinDay } from './sandbox-day.ts'

/** Stored responses for each intent that the test keys may create: one for its payment, one for its refund. */
const perCreate = 2

/**
 * Counts the responses to requests of test keys in this UTC day that are stored in claims, from an index alone. A claim
 * expires a day after its request and is stored at least until then. A successful create stores its response in its own
 * document, so it is not counted here.
 */
export async function countSandboxResponses(
  { Claim, now }: Pick<Deps, 'Claim' | 'now'>,
  businessIds: string[],
): Promise<Counted[]> {
  const tomorrow = startOf(dayOf(now()) + 1)
  const counted = await Claim.aggregate<Omit<Counted, 'freeAt'>>([
    { $match: { sandboxOf: { $in: businessIds }, expiresAt: { $gte: tomorrow } } },
    { $group: { _id: '$sandboxOf', used: { $sum: 1 } } },
  ])
    .option({ maxTimeMS: countingMs })
    .exec()
  return counted.map((each) => ({ ...each, freeAt: tomorrow }))
}

export const createSandboxResponseQuota = (
  deps: Pick<Deps, 'Claim' | 'now'>,
  elapsedMs: () => number,
): Quota =>
  createQuota(
    batchCounts((businessIds) => countSandboxResponses(deps, businessIds)),
    elapsedMs,
  )

/** How many responses may be stored in a UTC day for the test keys of a business; null means no limit. */
export function sandboxResponseLimit(
  deps: Pick<Deps, 'config'>,
  business: Pick<Caller, 'limits'>,
): number | null {
  const creates = sandboxLimit(deps, business)
  return creates === null ? null : creates * perCreate
}

/**
 * Runs a write that may store its response with its claim. Throws RATE_LIMITED, and runs nothing, if a test key made
 * the request and its business's quota is used up. Every such write stores a response and may cause an event, so this
 * bounds the deliveries too.
 */
export async function withinSandboxResponses<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  caller: Caller,
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
      limit,
      message: `The test keys of this business can make ${limit} writes per UTC day, not counting successful creates. Wait until the next day.`,
    },
    write,
  )
}
