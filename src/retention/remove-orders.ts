import { type Order, placed } from '../store/orders/order.ts'
import type { Product } from '../store/products/product.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'
import { removeDeliveriesOf, undelivered } from './remove-deliveries.ts'

const { maxTimeMS } = batchLimits

/** Its event was handed on. */
const told = { 'outbox.0': { $exists: false } }

/** The test orders of a business that are old, with their deliveries. What only stands in an order's place goes by itself. */
export function removeOrders(cleaning: Cleaning): Promise<void> {
  const { Order: model, businessId, testsBefore } = cleaning
  const where = { businessId, sandbox: true, ...placed }
  const walk = { index: 'byTime', where, from: null, before: testsBefore }
  return eachPage(cleaning.pace, model, walk, async (ids) => {
    const found = await model
      .find({ _id: { $in: ids }, sandbox: true, ...told, ...placed }, { number: 1 })
      .maxTimeMS(maxTimeMS)
      .lean<Named[]>()
    const unsettled = await withReservations(cleaning, ids)
    const settled = found.filter(({ _id }) => !unsettled.has(_id))
    const going = await toldWhole(cleaning, settled)
    await removeDeliveriesOf(cleaning, numbersOf(going))
    // Somebody may have sent one again since.
    const last = (await toldWhole(cleaning, going)).map(({ _id }) => _id)
    await removeTests(cleaning, 'orders', model, { _id: { $in: last }, ...told, ...placed })
  })
}

type Named = Pick<Order, '_id' | 'number'>

const numbersOf = (orders: Named[]): string[] => orders.map(({ number }) => number)

/** Those of which every delivery has ended. */
async function toldWhole(cleaning: Cleaning, orders: Named[]): Promise<Named[]> {
  const held = await undelivered(cleaning, numbersOf(orders))
  return orders.filter(({ number }) => !held.has(number))
}

/** The orders of which a product still has a reservation: without its order, a poll would give back what was sold. */
async function withReservations({ Product }: Cleaning, ids: readonly string[]): Promise<Set<string>> {
  const found = await Product.find({ 'reservations.orderId': { $in: ids } }, { 'reservations.orderId': 1 })
    .maxTimeMS(maxTimeMS)
    .lean<Pick<Product, 'reservations'>[]>()
  return new Set(found.flatMap(({ reservations }) => reservations.map(({ orderId }) => orderId)))
}
