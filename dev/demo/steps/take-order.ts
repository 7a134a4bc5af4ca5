import { callApiBriefly } from '../call-api.ts'
import { explain, gap, mru, seen, step } from '../screen.ts'
import { noteWebhook } from '../show-webhook.ts'
import { nextWebhook, type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'
import type { Tea } from './fill-shop.ts'

const QUANTITY = 2

/** Shows a simulated order. The order takes its units from the stock, and the merchant gets a webhook. */
export async function takeOrder(stage: Stage, { productId, packet, price, stock }: Tea): Promise<void> {
  step(14, 'An order arrives, and the merchant gets order.new')
  explain(`With a test key a merchant can try an order. Two packets of tea, of ${stock} in stock:`)
  const { origin } = stage.service
  const headers = writeHeaders(stage.key)
  const order = await callApiBriefly(
    201,
    {
      origin,
      method: 'POST',
      path: '/dev/store/orders/simulate',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: { items: [{ productId, variantLabel: packet, quantity: QUANTITY }] },
    },
    ['number', 'status', 'total', 'currency'],
  )
  must(order.status === 'PLACED' && order.total === QUANTITY * price, 'the order is placed, for the right total')
  const reference = String(order.number)
  const expected = { event: 'order.new', reference, status: 'PLACED', respondedWith: 200 } as const
  const arrived = await nextWebhook(stage, 0, expected)
  gap()
  noteWebhook(arrived)
  const { Authorization = '' } = headers
  const reading = { origin, method: 'GET', path: `/dev/store/products/${productId}` } as const
  const product = await callApiBriefly(200, { ...reading, headers: { Authorization } }, ['variants'])
  const left = (product.variants as { label: string; stock: number }[]).find(({ label }) => label === packet)
  must(left?.stock === stock - QUANTITY, 'the order took what it sold from the stock')
  gap()
  seen(`order of ${mru(QUANTITY * price)}; ${left.stock} packets are left, and no order can have more`)
}
