import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'
import { transitions } from '../intents/lifecycle.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { placed } from '../store/orders/order.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/**
 * Matches documents with events in their outbox. The filter has no other conditions, so MongoDB reads the index in
 * order.
 */
const withOutbox = { 'outbox.createdAt': { $exists: true } }

const oldest = {
  projection: { 'outbox.createdAt': 1 },
  sort: { 'outbox.createdAt': 1 },
  maxTimeMS: queryTimeoutMs,
} as const

/** Returns the age in seconds of the oldest event in an outbox, or 0 if all outboxes are empty. */
export async function outboxLag(deps: Pick<Deps, 'Intent' | 'Order' | 'Endpoint' | 'now'>): Promise<number> {
  const found = await Promise.all([
    nativeCollection(deps.Intent).findOne(withOutbox, oldest),
    nativeCollection(deps.Order).findOne({ ...withOutbox, ...placed }, oldest),
    nativeCollection(deps.Endpoint).findOne(withOutbox, oldest),
  ])
  // The first event in an outbox is the oldest.
  return Math.max(...found.map((document) => ageOf(deps, document?.outbox[0]?.createdAt)))
}

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
