import { isDeepStrictEqual } from 'node:util'
import type { OrderDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf } from '../views/answers.ts'
import { repeatedOf, sumOf } from '../views/groups.ts'
import { unitsAskedFor, unitsOf } from '../views/order-lines.ts'
import { isDone, type Request } from '../views/requests.ts'
import type { AskedLine } from '../views/stock-changes.ts'

interface ShownOrder {
  number: string
  items: OrderDocument['items']
  total: number
  customer?: { name: string | null } | null
  createdAt: string
}

const lineOf = ({ productId, variantId, unitPrice, quantity, total }: OrderDocument['items'][number]) => ({
  productId,
  variantId,
  unitPrice,
  quantity,
  total,
})

/**
 * Every order that was answered is there as it was answered and as it was asked for, at the prices of its products, its lines add up, and
 * its number is its own.
 */
export const orderExact: Judge = function* (round) {
  const placed = round.dump.orders.filter(({ status }) => status === 'PLACED')
  const byNumber = new Map(placed.map((order) => [order.number, order]))
  for (const { number: of } of repeatedOf(placed, (order) => order.number))
    yield { of, says: 'another order has its number' }
  const prices = pricesIn(round)
  for (const order of placed) {
    yield* adding(order)
    yield* priced(order, prices)
  }
  for (const request of round.requests) {
    const answered =
      request.what === 'order' && isDone(request) ? dataOf<ShownOrder>(request.settled as never) : null
    if (answered === null) continue
    const of = answered.number
    if (!asksFor(request).some((wanted) => isWanted(round, wanted, answered)))
      yield { of, says: `is not what was asked for: ${JSON.stringify(request.settled?.body)}` }
    const stored = byNumber.get(of)
    const made = { sandbox: request.sandbox, createdAt: Date.parse(answered.createdAt) }
    if (stored === undefined) {
      if (!round.mayBeCleaned(made))
        yield { of, says: 'an order was answered 201, and MongoDB does not have it' }
    } else if (stored.businessId !== request.business || stored.sandbox !== request.sandbox)
      yield { of, says: 'stands under another business or environment than that of the key' }
    else if (
      !isDeepStrictEqual(stored.items.map(lineOf), answered.items.map(lineOf)) ||
      stored.total !== answered.total
    )
      yield { of, says: 'was answered with other lines than those that it has' }
  }
}

function* adding({ number: of, items, total }: OrderDocument): Generator<Broken> {
  for (const { variantId, unitPrice, quantity, total: line } of items)
    if (line !== unitPrice * quantity || quantity < 1)
      yield { of, says: `sells ${quantity} of ${variantId} at ${unitPrice} for ${line}` }
  if (total !== sumOf(items, (item) => item.total))
    yield { of, says: `is ${total} in all, and its lines are not` }
}

interface Wanted {
  items?: AskedLine[]
  customer?: { name?: string }
}

/** Of tries with different bodies any may be the one that was answered. */
const asksFor = ({ tries }: Request): Wanted[] => tries.map(({ body }) => (body ?? {}) as Wanted)

/** Without lines it is one unit of whatever there is. A product that came in a file, and that the clean-up took, tells no more what its variants were called. */
function isWanted(round: Round, { items, customer }: Wanted, answered: ShownOrder): boolean {
  if ((answered.customer?.name ?? null) !== (customer?.name ?? null)) return false
  const sold = unitsOf(answered.items)
  if (items === undefined) return isDeepStrictEqual([...sold.values()], [1])
  const wanted = unitsAskedFor(round, items)
  return wanted.has(undefined)
    ? sumOf(sold.values(), Number) === sumOf(wanted.values(), Number)
    : isDeepStrictEqual(sold, wanted)
}

/** By variant, of products whose prices nobody changed. */
function pricesIn({ dump, requests }: Round): Map<string, number> {
  const updates = requests.filter(({ what }) => what === 'product.update')
  const changed = new Set(updates.map(({ path }) => path.split('/').at(-1)))
  // The next file may change what came in one.
  const lasting = dump.products.filter(({ _id, handle }) => handle === _id && !changed.has(_id))
  return new Map(lasting.flatMap(({ variants }) => variants.map(({ _id, price }) => [_id, price] as const)))
}

function* priced({ number: of, items }: OrderDocument, prices: Map<string, number>): Generator<Broken> {
  for (const { variantId, unitPrice } of items) {
    const price = prices.get(variantId)
    if (price !== undefined && price !== unitPrice)
      yield { of, says: `sells ${variantId} at ${unitPrice}, and its price is ${price}` }
  }
}
