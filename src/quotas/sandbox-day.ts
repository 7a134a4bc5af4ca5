import type { PipelineStage } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { orders, placed } from '../store/orders/order.ts'
import { products } from '../store/products/product.ts'
import { endpoints } from '../webhooks/endpoints/endpoint.ts'
import { batchCounts, type Counted, countingMs } from './count-batch.ts'
import { createQuota, type Quota } from './quota.ts'
import { secondsLeft } from './seconds-left.ts'

const dayMs = 24 * 3_600_000

export const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)
export const startOf = (day: number): Date => new Date(day * dayMs)

/**
 * Counts what the test keys of businesses created in this UTC day: intents, orders, products (deleted ones too) and
 * endpoints, each from an index alone. The clean-up removes no document this young. Within the day, only an import that
 * withdraws a product frees quota, and the deletion of an endpoint when more than 100 are deleted
 * (src/webhooks/endpoints/remove-deleted.ts). A loop of creates and deletions still ends, because each deletion uses
 * the quota of stored responses.
 */
export async function countSandboxDay(
  { Intent, now }: Pick<Deps, 'Intent' | 'now'>,
  businessIds: string[],
): Promise<Counted[]> {
  const day = dayOf(now())
  const made = { businessId: { $in: businessIds }, createdAt: { $gte: startOf(day) } }
  const inSandbox = { ...made, sandbox: true }
  const also = (coll: string, filter: object): PipelineStage.UnionWith => ({
    $unionWith: { coll, pipeline: [{ $match: filter }, perBusiness] },
  })
  const counted = await Intent.aggregate<Omit<Counted, 'freeAt'>>([
    { $match: inSandbox },
    perBusiness,
    also(orders.name, { ...inSandbox, ...placed }),
    also(products.name, { ...inSandbox, listed: true }),
    also(products.name, { ...inSandbox, deletedAt: { $type: 'date' } }),
    also(endpoints.name, { ...made, createdByTestKey: true }),
    { $group: { _id: '$_id', used: { $sum: '$used' } } },
  ])
    .option({ maxTimeMS: countingMs })
    .exec()
  return counted.map((each) => ({ ...each, freeAt: startOf(day + 1) }))
}

const perBusiness = { $group: { _id: '$businessId', used: { $sum: 1 } } } as const

export const createSandboxQuota = (deps: Pick<Deps, 'Intent' | 'now'>, elapsedMs: () => number): Quota =>
  createQuota(
    batchCounts((businessIds) => countSandboxDay(deps, businessIds)),
    elapsedMs,
  )

/** How many documents the test keys of a business may create in a UTC day; null means no limit. */
export const sandboxLimit = (
  { config }: Pick<Deps, 'config'>,
  { limits }: Pick<Caller, 'limits'>,
): number | null => (limits.sandboxIntentsPerDay ?? config.sandboxIntentsPerDay) || null

/**
 * Runs an insert of `amount` documents. For a test key, throws RATE_LIMITED and inserts nothing if they exceed the
 * day's quota.
 */
export async function withinSandboxDay<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  caller: Caller,
  amount: number,
  insert: () => Promise<T>,
): Promise<T> {
  const limit = sandboxLimit(deps, caller)
  if (!caller.sandbox || limit === null || amount === 0) return insert()
  return withinDay(
    deps,
    deps.quotas.sandboxDay,
    {
      businessId: caller.businessId,
      amount,
      limit,
      message: `The test keys of this business can create ${limit} intents, orders, products and endpoints per UTC day. Wait until the next day.`,
    },
    insert,
  )
}

/**
 * Runs a write within a quota of the UTC day. Throws RATE_LIMITED with the message, and runs nothing, if the write
 * exceeds the quota.
 */
export async function withinDay<T>(
  { now }: Pick<Deps, 'now'>,
  quota: Quota,
  {
    businessId,
    amount,
    limit,
    message,
  }: { businessId: string; amount: number; limit: number; message: string },
  write: () => Promise<T>,
): Promise<T> {
  const at = now()
  const day = dayOf(at)
  const taken = await quota.take(businessId, String(day), limit, amount)
  if (!taken.isTaken)
    throw refuse('RATE_LIMITED', {
      message,
      details: { scope: 'sandbox', limit },
      retryAfterSeconds: secondsLeft(startOf(day + 1), at, dayMs),
    })
  return write().finally(taken.end)
}
