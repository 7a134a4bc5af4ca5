import type { PipelineStage } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { orders } from '../store/orders/order.ts'
import { products } from '../store/products/product.ts'
import { type Counted, countingMs, type Quota, secondsLeft } from './quota.ts'

const dayMs = 24 * 3_600_000

export const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)
export const startOf = (day: number): Date => new Date(day * dayMs)

/**
 * Counts what businesses' test keys have created in the current UTC day: intents, orders and products, including
 * deleted ones. Each count reads only an index. The clean-up does not remove documents that are this young.
 */
export async function countSandboxDay(
  { Intent, now }: Pick<Deps, 'Intent' | 'now'>,
  businessIds: string[],
): Promise<Counted[]> {
  const day = dayOf(now())
  const inSandbox = { businessId: { $in: businessIds }, sandbox: true, createdAt: { $gte: startOf(day) } }
  const also = (coll: string, filter: object): PipelineStage.UnionWith => ({
    $unionWith: { coll, pipeline: [{ $match: filter }, perBusiness] },
  })
  const counted = await Intent.aggregate<Omit<Counted, 'freeAt'>>([
    { $match: inSandbox },
    perBusiness,
    also(orders.name, inSandbox),
    also(products.name, { ...inSandbox, listed: true }),
    also(products.name, { ...inSandbox, deletedAt: { $type: 'date' } }),
    { $group: { _id: '$_id', used: { $sum: '$used' } } },
  ])
    .option({ maxTimeMS: countingMs })
    .exec()
  return counted.map((each) => ({ ...each, freeAt: startOf(day + 1) }))
}

const perBusiness = { $group: { _id: '$businessId', used: { $sum: 1 } } } as const

/**
 * Returns the maximum number of documents that a business's test keys may create in a UTC day, or null if there is no
 * limit.
 */
export const sandboxLimit = ({ config }: Pick<Deps, 'config'>, { limits }: Pick<Caller, 'limits'>): number | null =>
  (limits.sandboxIntentsPerDay ?? config.sandboxIntentsPerDay) || null

/**
 * Runs `insert`, which inserts `amount` documents. If the caller uses a test key and the documents would exceed the
 * day's quota, throws RATE_LIMITED without inserting anything.
 */
export const withinSandboxDay = <T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  caller: Caller,
  amount: number,
  insert: () => Promise<T>,
): Promise<T> =>
  withSandboxDay(deps, caller, async (take) => {
    await take(amount)
    return insert()
  })

/** Takes as much of the day's quota as `total` documents need, less what was taken before. May throw RATE_LIMITED. */
export type TakeOfDay = (total: number) => Promise<void>

/** Like `withinSandboxDay`, for a transaction that learns how many documents it inserts, and may run several times. */
export async function withSandboxDay<T>(
  deps: Pick<Deps, 'quotas' | 'config' | 'now'>,
  caller: Caller,
  write: (take: TakeOfDay) => Promise<T>,
): Promise<T> {
  const limit = sandboxLimit(deps, caller)
  if (!caller.sandbox || limit === null) return write(async () => undefined)
  const { businessId } = caller
  const message = `The test keys of this business can create ${limit} intents, orders and products per UTC day. Wait until the next day.`
  const ends: (() => void)[] = []
  let taken = 0
  try {
    return await write(async (total) => {
      if (total <= taken) return
      const amount = total - taken
      ends.push(await takeOfDay(deps, deps.quotas.sandboxDay, { businessId, amount, limit, scope: 'sandbox', message }))
      taken = total
    })
  } finally {
    for (const end of ends) end()
  }
}

interface Taking {
  businessId: string
  amount: number
  limit: number
  scope: 'sandbox' | 'audit'
  message: string
}

/**
 * Runs a write within a quota for the current UTC day. If the write would exceed the quota, throws RATE_LIMITED with
 * `message` and does not run the write.
 */
export async function withinDay<T>(
  deps: Pick<Deps, 'now'>,
  quota: Quota,
  taking: Taking,
  write: () => Promise<T>,
): Promise<T> {
  const end = await takeOfDay(deps, quota, taking)
  return write().finally(end)
}

async function takeOfDay(
  { now }: Pick<Deps, 'now'>,
  quota: Quota,
  { businessId, amount, limit, scope, message }: Taking,
): Promise<() => void> {
  const at = now()
  const day = dayOf(at)
  const taken = await quota.take(businessId, String(day), limit, amount)
  if (taken.isTaken) return taken.end
  throw refuse('RATE_LIMITED', {
    message,
    details: { scope, limit },
    retryAfterSeconds: secondsLeft(startOf(day + 1), at, dayMs),
  })
}
