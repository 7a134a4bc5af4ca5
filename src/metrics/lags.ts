import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'
import { transitions } from '../intents/lifecycle.ts'
import { findOldestEvent } from '../outbox/find-oldest-event.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** Returns the age in seconds of the oldest event in an outbox, or 0 if all outboxes are empty. */
export const outboxLag = async (deps: Pick<Deps, 'Intent' | 'Order' | 'Endpoint' | 'now'>): Promise<number> =>
  ageOf(deps, (await findOldestEvent(deps, queryTimeoutMs))?.createdAt)

/**
 * Returns how many seconds the most overdue PENDING intent is past its expiry, or 0 if none is overdue. Ignores intents
 * with a hold, because their expiry may be delayed.
 */
export async function expiryLag(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const oldest = await deps.Intent.findOne(
    { status: { $in: transitions.expire.from }, ...transitions.expire.guard(deps.now()) },
    { expiresAt: 1 },
  )
    .sort({ cancelsAt: 1 })
    .maxTimeMS(queryTimeoutMs)
    .lean<Pick<Intent, 'expiresAt'> | null>()
  return ageOf(deps, oldest?.expiresAt)
}
