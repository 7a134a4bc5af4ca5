import { isDeepStrictEqual } from 'node:util'
import type { OrderDocument } from '../../../invariants/documents.ts'
import { having } from '../groups.ts'
import { isDone } from '../requests.ts'
import { dataOf } from '../responses.ts'
import type { Check, Round } from '../round.ts'

/** Each acknowledged order is stored with the same lines, its products' prices, the right total and a unique number. */
export const orderExact: Check = function* (round) {
  yield* round.broken('order totals')
  const { orders } = round.dump
  const prices = pricesIn(round)
  for (const { number, items } of orders)
    for (const { variantId, unitPrice } of items)
      if (unitPrice !== (prices.get(variantId) ?? unitPrice)) yield [number, `sells ${variantId} at ${unitPrice}`]
  const byNumber = new Map(orders.map((order) => [order.number, order]))
  for (const request of having(round.requests, 'order')) {
    type Shown = OrderDocument & { createdAt: string }
    const order = isDone(request) ? dataOf<Shown>(request.settled) : null
    if (order === null) continue
    const stored = byNumber.get(order.number)
    const made = { sandbox: request.sandbox, createdAt: Date.parse(order.createdAt) }
    if (stored === undefined && round.mayBeCleaned(made)) continue
    const isSame =
      stored?.businessId === request.businessId &&
      stored.sandbox === request.sandbox &&
      isDeepStrictEqual(stored.items.map(lineOf), order.items.map(lineOf))
    if (!isSame) yield [order.number, `is not there as call ${request.settled?.call} showed it`]
  }
}

const lineOf = ({ productId, variantId, unitPrice, quantity }: OrderDocument['items'][number]) =>
  [productId, variantId, unitPrice, quantity].join(' ')

/** The prices of the products that were never updated, by variant. */
function pricesIn({ dump, requests }: Round): Map<string, number> {
  const changed = new Set(having(requests, 'product.update').map(({ path }) => path.split('/').at(-1)))
  const lasting = dump.products.filter(({ _id, handle }) => handle === _id && !changed.has(_id))
  return new Map(lasting.flatMap(({ variants }) => variants.map(({ _id, price }) => [_id, price] as const)))
}
