import type { Deps } from '../deps.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** The maximum number of due deliveries to count. Counting more would cost more without revealing anything new. */
const maxCounted = 10_000

/**
 * Returns the filter for due deliveries. `$type` makes MongoDB use the partial index `open`. A delivery whose attempt
 * is in progress does not match, because its lease ends in the future.
 */
const due = (deps: Pick<Deps, 'now'>) => ({ nextAttemptAt: { $type: 'date', $lte: deps.now() } }) as const

/** Counts the deliveries that are due, up to `maxCounted`. */
export const dueDeliveries = (deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> =>
  deps.Delivery.countDocuments(due(deps), { limit: maxCounted, maxTimeMS: queryTimeoutMs })

/** Returns how many seconds ago the longest-overdue delivery became due, or 0 if no delivery is due. */
export async function oldestDue(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> {
  const oldest = await deps.Delivery.findOne(due(deps), { nextAttemptAt: 1 })
    .sort({ nextAttemptAt: 1 })
    .maxTimeMS(queryTimeoutMs)
    .lean<Pick<Delivery, 'nextAttemptAt'> | null>()
  return ageOf(deps, oldest?.nextAttemptAt)
}
