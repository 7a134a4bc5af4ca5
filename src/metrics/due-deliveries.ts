import type { Deps } from '../deps.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** Counted so far: more says nothing new, and would cost more. */
const mostCounted = 10_000

/** With `$type` MongoDB uses the partial index `open`. Attempts in flight are not among them: their lease ends in the future. */
const due = (deps: Pick<Deps, 'now'>) => ({ nextAttemptAt: { $type: 'date', $lte: deps.now() } }) as const

/** How many deliveries are due, up to `mostCounted`. */
export const dueDeliveries = (deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> =>
  deps.Delivery.countDocuments(due(deps), { limit: mostCounted, maxTimeMS: queryTimeoutMs })

/** For how many seconds the oldest one has been due; 0 when none is. */
export async function oldestDue(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> {
  const oldest = await deps.Delivery.findOne(due(deps), { nextAttemptAt: 1 })
    .sort({ nextAttemptAt: 1 })
    .maxTimeMS(queryTimeoutMs)
    .lean<Pick<Delivery, 'nextAttemptAt'> | null>()
  return ageOf(deps, oldest?.nextAttemptAt)
}
