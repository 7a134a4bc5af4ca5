import type { PipelineStage } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { orders, placed } from '../store/orders/order.ts'
import { products } from '../store/products/product.ts'
import { endpoints } from '../webhooks/endpoints/endpoint.ts'
import { type Counted, countingMs, countLane } from './count-lane.ts'
import { createQuota, type Quota } from './quota.ts'
import { secondsUntil } from './seconds-until.ts'

const dayMs = 24 * 3_600_000

const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)
const startOf = (day: number): Date => new Date(day * dayMs)

/**
 * Counts what businesses made in the sandbox since this UTC day began: intents, orders, products (deleted ones too) and endpoints, each by an
 * index alone. Nothing so young is ever cleaned up, so nothing gives room back within a day but a product that an import takes back.
 */
export async function countSandboxDay(
  { Intent, now }: Pick<Deps, 'Intent' | 'now'>,
  businessIds: string[],
): Promise<Counted[]> {
  const day = dayOf(now())
  const made = { businessId: { $in: businessIds }, createdAt: { $gte: startOf(day) } }
  const inSandbox = { ...made, sandbox: true }
  const also = (coll: string, which: object): PipelineStage.UnionWith => ({
    $unionWith: { coll, pipeline: [{ $match: which }, perBusiness] },
  })
  const counted = await Intent.aggregate<Omit<Counted, 'freeAt'>>([
    { $match: inSandbox },
    perBusiness,
    also(orders.name, { ...inSandbox, ...placed }),
    also(products.name, { ...inSandbox, listed: true }),
    also(products.name, { ...inSandbox, deletedAt: { $type: 'date' } }),
    also(endpoints.name, made),
    { $group: { _id: '$_id', used: { $sum: '$used' } } },
  ])
    .option({ maxTimeMS: countingMs })
    .exec()
  return counted.map((each) => ({ ...each, freeAt: startOf(day + 1) }))
}

const perBusiness = { $group: { _id: '$businessId', used: { $sum: 1 } } } as const

export const createSandboxQuota = (deps: Pick<Deps, 'Intent' | 'now'>, elapsedMs: () => number): Quota =>
  createQuota(
    countLane((businessIds) => countSandboxDay(deps, businessIds)),
    elapsedMs,
  )

/** How many things the test keys of a business may make in a UTC day; null is any number. */
export const sandboxLimit = (
  { config }: Pick<Deps, 'config'>,
  { limits }: Pick<Caller, 'limits'>,
): number | null => (limits.sandboxIntentsPerDay ?? config.sandboxIntentsPerDay) || null

/**
 * Runs an insert of `amount` documents. Of a test key, throws RATE_LIMITED and inserts nothing once the test keys of the business have made
 * as much today as they may.
 */
export async function withinSandboxDay<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  caller: Caller,
  amount: number,
  insert: () => Promise<T>,
): Promise<T> {
  const limit = sandboxLimit(deps, caller)
  if (!caller.sandbox || limit === null || amount === 0) return insert()
  const now = deps.now()
  const day = dayOf(now)
  const taken = await deps.quotas.sandboxDay.take(caller.businessId, String(day), limit, amount)
  if (!taken.isTaken)
    throw refuse('RATE_LIMITED', {
      message: `The test keys of this business may make ${limit} intents, orders, products and endpoints in a UTC day.`,
      details: { scope: 'sandbox', limit },
      retryAfterSeconds: secondsUntil(startOf(day + 1), now, dayMs),
    })
  return insert().finally(taken.end)
}
