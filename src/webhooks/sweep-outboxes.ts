import type { Deps } from '../deps.ts'
import { inBatches } from '../in-batches.ts'
import { nudgeRelay } from '../intents/nudge-relay.ts'
import { nudgeOrderRelay } from '../store/orders/nudge-relay.ts'
import { placed } from '../store/orders/order.ts'

/** A change younger than this has its own nudge on the way. */
const graceMs = 2_000

/** One business gets relayed so much of one sweep: 14 000 ordinary intents, or 85 of the largest. */
const mostBytes = 32_000_000

/** What the sweep reads of a document with events. */
interface Untold {
  _id: string
  businessId: string
  bytes: number
}
const untoldFields = { _id: 1, businessId: 1, bytes: { $bsonSize: '$$ROOT' } }

/**
 * Nudges the relay for events that nobody has relayed, of each business the oldest, up to `mostBytes`: reading more would take so long that
 * the events of others waited for it. Two looks: orders have outboxes too. Answers how many documents have any.
 */
export async function sweepOutboxes(deps: Deps): Promise<number> {
  const untold = { 'outbox.createdAt': { $lte: new Date(deps.now().getTime() - graceMs) } }
  const intents = deps.Intent.find(untold, untoldFields).lean<Untold[]>()
  const orders = deps.Order.find({ ...untold, ...placed }, untoldFields).lean<Untold[]>()
  const bytesOf = new Map<string, number>()
  const mayGo = ({ businessId, bytes }: Untold): boolean => {
    const before = bytesOf.get(businessId) ?? 0
    bytesOf.set(businessId, before + bytes)
    return before < mostBytes
  }
  const ofIntents = await inBatches(intents.cursor(), (some) => {
    for (const intent of some.filter(mayGo)) nudgeRelay(deps, intent)
  })
  const ofOrders = await inBatches(orders.cursor(), (some) => {
    for (const order of some.filter(mayGo)) nudgeOrderRelay(deps, order)
  })
  return ofIntents + ofOrders
}
