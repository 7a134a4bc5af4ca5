import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'
import { transitions } from '../intents/lifecycle.ts'
import { type Order, placed } from '../store/orders/order.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** Nothing more is asked of it, so that the index is read in its order. */
const withOutbox = { 'outbox.createdAt': { $exists: true } }

type WithOutbox = Pick<Intent | Order, 'outbox'> | null

/** Age in seconds of the oldest event that stands in an outbox, of an intent or an order; 0 when none does. */
export async function outboxLag(deps: Pick<Deps, 'Intent' | 'Order' | 'now'>): Promise<number> {
  const [intent, order] = await Promise.all([
    deps.Intent.findOne(withOutbox, { 'outbox.createdAt': 1 })
      .sort({ 'outbox.createdAt': 1 })
      .maxTimeMS(queryTimeoutMs)
      .lean<WithOutbox>(),
    deps.Order.findOne({ ...withOutbox, ...placed }, { 'outbox.createdAt': 1 })
      .sort({ 'outbox.createdAt': 1 })
      .maxTimeMS(queryTimeoutMs)
      .lean<WithOutbox>(),
  ])
  // The first in an outbox is its oldest.
  return Math.max(ageOf(deps, intent?.outbox[0]?.createdAt), ageOf(deps, order?.outbox[0]?.createdAt))
}

/**
 * How many seconds the oldest PENDING intent is past its expiry; 0 if none is. Does not count intents that a payment holds, because those may
 * wait.
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
