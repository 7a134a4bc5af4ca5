import type { Deps } from '../deps.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** A higher count would cost more and say nothing new. */
const maxCounted = 10_000

/**
 * `$type` makes MongoDB use the partial index `open`. Attempts in flight do not match: their lease ends in the future.
 */
const due = (deps: Pick<Deps, 'now'>) => ({ nextAttemptAt: { $type: 'date', $lte: deps.now() } }) as const

/** Counts the deliveries that are due, up to `maxCounted`. */
export const dueDeliveries = (deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> =>
  deps.Delivery.countDocuments(due(deps), { limit: maxCounted, maxTimeMS: queryTimeoutMs })

/** Returns for how many seconds the oldest one has been due, or 0 if none is. */
export async function oldestDue(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> {
  const oldest = await deps.Delivery.findOne(due(deps), { nextAttemptAt: 1 })
    .sort({ nextAttemptAt: 1 })
    .maxTimeMS(queryTimeoutMs)
    .lean<Pick<Delivery, 'nextAttemptAt'> | null>()
  return ageOf(deps, oldest?.nextAttemptAt)
}
