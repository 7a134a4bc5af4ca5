import { isDeepStrictEqual } from 'node:util'
import type { OrderDocument } from '../documents.ts'
import type { Broken, Judge } from '../round.ts'
import { dataOf } from '../views/answers.ts'
import { repeatedOf, sumOf } from '../views/groups.ts'
import { isDone } from '../views/requests.ts'

interface ShownOrder {
  number: string
  items: OrderDocument['items']
  total: number
  createdAt: string
}

const lineOf = ({ productId, variantId, unitPrice, quantity, total }: OrderDocument['items'][number]) => ({
  productId,
  variantId,
  unitPrice,
  quantity,
  total,
})

/** Every order that was answered is there as it was answered, its lines add up, and its number is its own. */
export const orderExact: Judge = function* (round) {
  const placed = round.dump.orders.filter(({ status }) => status === 'PLACED')
  const byNumber = new Map(placed.map((order) => [order.number, order]))
  for (const { number: of } of repeatedOf(placed, (order) => order.number))
    yield { of, says: 'another order has its number' }
  for (const order of placed) yield* adding(order)
  for (const request of round.requests) {
    const answered =
      request.what === 'order' && isDone(request) ? dataOf<ShownOrder>(request.settled as never) : null
    if (answered === null) continue
    const of = answered.number
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
