import { expect } from 'chai'
import { judge } from './check.ts'
import type { DeliveryDocument } from './documents.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'

/** The order is told, in place of what the last delivery tells of. */
function tellsOrder(round: Ordinary, change: object = {}): DeliveryDocument {
  const order = the(round.dump.orders[0])
  const [line] = order.items
  const { productId, variantId, unitPrice, quantity, total } = the(line)
  const delivery = the(round.dump.deliveries.at(-1))
  const createdAt = new Date(order.createdAt).toISOString()
  const items = [{ product_id: productId, variant_id: variantId, unit_price: unitPrice, quantity, total }]
  const data = {
    _id: order._id,
    reference_number: order.number,
    number: order.number,
    status: order.status,
    items,
    total: order.total,
    currency: 'MRU',
    customer: order.customer,
    created_at: createdAt,
    ...change,
  }
  const about = { event: 'order.new', referenceNumber: order.number }
  const body = JSON.stringify({
    id: delivery._id,
    event: 'order.new',
    created_at: createdAt,
    sandbox: true,
    data,
  })
  return Object.assign(delivery, { ...about, body })
}

/** What the last refund is said to be for. */
const tellsRefund = ({ dump }: Ordinary, reason: string): void => {
  const delivery = the(dump.deliveries.find(({ event }) => event === 'payment.refunded'))
  delivery.body = delivery.body.replace('"reason":null', `"reason":"${reason}"`)
}

describe('The checker of faults, of orders that are told,', () => {
  it('takes an order for told that is told as it is', () => {
    const round = ordinary()
    tellsOrder(round)
    const told = judge(round).filter(({ promise }) => promise === 'event.told')
    expect(told).to.deep.equal([])
  })

  tellsOf([
    ['event.told', 'an order is told with another total', (round) => tellsOrder(round, { total: 1 })],
    ['event.told', 'an order is told without its lines', (round) => tellsOrder(round, { items: [] })],
    [
      'event.told',
      'an order is told of another customer',
      (round) => tellsOrder(round, { customer: { name: 'x' } }),
    ],
    ['event.told', 'a refund is told for another reason', (round) => tellsRefund(round, 'another')],
  ])
})
