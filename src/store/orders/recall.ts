import type { Recall } from '../../idempotency/claim.ts'
import { type Order, orders, placed } from './order.ts'

/** The sealed first response of the simulated order with this effect id, if it was placed. */
export const recallOrder: Recall = {
  collection: orders.name,
  async find({ Order }, effectId) {
    const filter = { _id: effectId, ...placed }
    const order = await Order.findOne(filter, { answer: 1 }).lean<Pick<Order, 'answer'> | null>()
    return order?.answer ?? null
  },
}
