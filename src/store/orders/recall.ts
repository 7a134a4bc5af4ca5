import { byFormat, type Recall } from '../../idempotency/recall.ts'
import { type Order, placed } from './order.ts'
import { presentOrder } from './present.ts'

/** The version of the response format that is stored with each new order. */
export const responseFormat = 1

/** Returns the data of the first response to the request that placed this order. The data never changes. */
export const placedResponse = byFormat<Order>({ 1: presentOrder })

export const recallOrder: Recall = {
  kind: 'computed',
  async find({ Order }, effectId) {
    const order = await Order.findOne({ _id: effectId, ...placed }).lean<Order | null>()
    return order === null ? null : placedResponse(order)
  },
}
