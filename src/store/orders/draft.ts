import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { type Cause, newEvent } from '../../outbox/event.ts'
import { newOrderNumber } from '../../security/ids.ts'
import { orderFormat } from '../../webhooks/body/order-data.ts'
import type { OrderAttempt } from './attempt.ts'
import type { Line } from './lines.ts'
import type { Customer, Order, OrderItem } from './order.ts'
import { responseFormat } from './recall.ts'

/**
 * Returns a new order with these lines, and with its `order.new` event. Does not store the order. Throws
 * AMOUNT_OUT_OF_RANGE if a line or the total exceeds the maximum amount.
 */
export function draftOrder(
  deps: Pick<Deps, 'config' | 'now'>,
  { orderId: _id, businessId, sandbox, attemptId }: OrderAttempt,
  lines: Line[],
  { customer, cause }: { customer: Customer | null; cause: Cause | null },
): Order {
  const { maxAmount } = deps.config
  const items = lines.map(itemOf)
  const total = items.reduce((sum, item) => sum + item.total, 0)
  const excessive = items.findIndex((item) => item.total > maxAmount)
  if (excessive >= 0) throw refuse('AMOUNT_OUT_OF_RANGE', { param: `${lines[excessive]?.param}.quantity` })
  if (total > maxAmount) throw refuse('AMOUNT_OUT_OF_RANGE', { param: 'items' })
  const createdAt = deps.now()
  const shown = {
    _id,
    sandbox,
    status: 'PLACED',
    number: newOrderNumber(),
    items,
    total,
    customer,
    createdAt,
  } as const
  const outbox = [newEvent('order.new', createdAt, { format: orderFormat, facts: { status: shown.status } }, cause)]
  return { ...shown, businessId, attemptId, outbox, responseFormat }
}

const itemOf = ({ product, variant, quantity }: Line): OrderItem => ({
  productId: product._id,
  variantId: variant._id,
  name: product.name,
  variantLabel: variant.label,
  sku: variant.sku,
  unitPrice: variant.price,
  quantity,
  total: variant.price * quantity,
})
