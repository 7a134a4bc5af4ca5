import { type Order, placed } from '../store/orders/order.ts'
import type { Product } from '../store/products/product.ts'
import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'
import { removeDeliveriesOf } from './remove-deliveries.ts'

/** Its event was handed on. */
const told = { 'outbox.0': { $exists: false } }

/** The test orders of a business that are old, with their deliveries. What only stands in an order's place goes by itself. */
export function removeOrders(cleaning: Cleaning, businessId: string): Promise<void> {
  const { Order: model, testsBefore } = cleaning
  const where = { businessId, sandbox: true, ...placed }
  const walk = { index: 'byTime', where, from: null, before: testsBefore }
  return eachPage(cleaning.pace, model, walk, async (ids) => {
    const found = await model
      .find({ _id: { $in: ids }, sandbox: true, ...told, ...placed }, { number: 1 })
      .lean<Pick<Order, '_id' | 'number'>[]>()
    const unsettled = await withReservations(cleaning, ids)
    const settled = found.filter(({ _id }) => !unsettled.has(_id))
    const held = await removeDeliveriesOf(
      cleaning,
      settled.map(({ number }) => number),
    )
    const going = settled.filter(({ number }) => !held.has(number)).map(({ _id }) => _id)
    await removeTests(cleaning, 'orders', model, { _id: { $in: going }, ...told, ...placed })
  })
}

/** The orders of which a product still has a reservation: without its order, the sweep would give back what was sold. */
async function withReservations({ Product }: Cleaning, ids: readonly string[]): Promise<Set<string>> {
  const found = await Product.find({ 'reservations.order': { $in: ids } }, { 'reservations.order': 1 }).lean<
    Pick<Product, 'reservations'>[]
  >()
  return new Set(found.flatMap(({ reservations }) => reservations.map(({ order }) => order)))
}
