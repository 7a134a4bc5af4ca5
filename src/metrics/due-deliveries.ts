import type { Deps } from '../deps.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** Counting further would cost more and reveal nothing new. */
const maxCounted = 10_000

/**
 * `$type` makes MongoDB use the partial index `open`. A delivery with an attempt in flight does not match, because its
 * lease ends in the future.
 */
const due = (deps: Pick<Deps, 'now'>) => ({ nextAttemptAt: { $type: 'date', $lte: deps.now() } }) as const

/** Counts the deliveries that are due, up to `maxCounted`. */
export const dueDeliveries = (deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> =>
  deps.Delivery.countDocuments(due(deps), { limit: maxCounted, maxTimeMS: queryTimeoutMs })

/** Returns how many seconds ago the oldest due delivery became due, or 0 if none is due. */
export async function oldestDue(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> {
  const oldest = await deps.Delivery.findOne(due(deps), { nextAttemptAt: 1 })
    .sort({ nextAttemptAt: 1 })
    .maxTimeMS(queryTimeoutMs)
    .lean<Pick<Delivery, 'nextAttemptAt'> | null>()
  return ageOf(deps, oldest?.nextAttemptAt)
}
