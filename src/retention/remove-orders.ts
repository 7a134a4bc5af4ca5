import type { Order } from '../store/orders/order.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'
import { removeDeliveriesOf, undelivered } from './remove-deliveries.ts'
import { removeEventsOf } from './remove-events.ts'

const { maxTimeMS } = batchLimits

/** A filter for orders whose events have all been relayed. */
const relayed = { 'outbox.0': { $exists: false } }

/** Removes a business's old test orders, with their deliveries and events. */
export function removeOrders(cleaning: Cleaning): Promise<void> {
  const { Order: model, businessId, testsBefore } = cleaning
  const where = { businessId, sandbox: true }
  const walk = { index: 'byTime', where, from: null, before: testsBefore }
  return eachPage(cleaning.pace, model, walk, async (ids) => {
    const found = await model
      .find({ _id: { $in: ids }, sandbox: true, ...relayed }, { number: 1 })
      .maxTimeMS(maxTimeMS)
      .lean<NumberedOrder[]>()
    const delivered = await withoutOpenDeliveries(cleaning, found)
    await removeDeliveriesOf(cleaning, numbersOf(delivered))
    // Orders with an open delivery are kept, because a delivery may have been re-queued in the meantime.
    const removable = await withoutOpenDeliveries(cleaning, delivered)
    await removeEventsOf(cleaning, numbersOf(removable))
    const ofRemovable = { _id: { $in: removable.map(({ _id }) => _id) } }
    await removeTests(cleaning, 'orders', model, { ...ofRemovable, ...relayed })
  })
}

type NumberedOrder = Pick<Order, '_id' | 'number'>

const numbersOf = (orders: NumberedOrder[]): string[] => orders.map(({ number }) => number)

/** Returns the orders whose deliveries have all ended. */
async function withoutOpenDeliveries(cleaning: Cleaning, orders: NumberedOrder[]): Promise<NumberedOrder[]> {
  const held = await undelivered(cleaning, numbersOf(orders))
  return orders.filter(({ number }) => !held.has(number))
}
