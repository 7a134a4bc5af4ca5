import type { Deps } from '../deps.ts'
import { inBatches } from '../in-batches.ts'
import type { Intent } from '../intents/intent.ts'
import { nudgeRelay } from '../intents/nudge-relay.ts'
import { nudgeOrderRelay } from '../store/orders/nudge-relay.ts'
import { type Order, placed } from '../store/orders/order.ts'

/** A change younger than this has its own nudge on the way. */
const graceMs = 2_000

/** Nudges the relay for events that nobody has relayed. Two looks: orders have outboxes too. Answers how many documents have any. */
export async function sweepOutboxes(deps: Deps): Promise<number> {
  const untold = { 'outbox.createdAt': { $lte: new Date(deps.now().getTime() - graceMs) } }
  const intents = deps.Intent.find(untold, { _id: 1 }).lean<Pick<Intent, '_id'>[]>()
  const orders = deps.Order.find({ ...untold, ...placed }, { _id: 1 }).lean<Pick<Order, '_id'>[]>()
  const ofIntents = await inBatches(intents.cursor(), (some) => {
    for (const intent of some) nudgeRelay(deps, intent)
  })
  const ofOrders = await inBatches(orders.cursor(), (some) => {
    for (const order of some) nudgeOrderRelay(deps, order)
  })
  return ofIntents + ofOrders
}
