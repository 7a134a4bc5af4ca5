import { newEvent } from '../../src/outbox/event.ts'
import { newId, newOrderNumber } from '../../src/platform/ids.ts'
import type { Order } from '../../src/store/orders/order.ts'
import { orderEventFormat } from '../../src/store/orders/order.ts'
import type { Merchant, Service } from './service.ts'

/** A placed order with its event in the outbox. Doesn't use the API, so no relay job is enqueued. */
export async function storeOrder(service: Service, { businessId }: Merchant, sandbox = true): Promise<Order> {
  const createdAt = service.clock.now()
  const number = newOrderNumber()
  const product = { productId: newId(), variantId: newId(), name: 'Rice', variantLabel: '1 kg', sku: null }
  const recorded = { format: orderEventFormat, facts: { status: 'PLACED' } }
  const order: Order = {
    _id: newId(),
    businessId,
    sandbox,
    status: 'PLACED',
    number,
    items: [{ ...product, unitPrice: 500, quantity: 1, total: 500 }],
    total: 500,
    customer: null,
    createdAt,
    outbox: [newEvent('order.new', createdAt, recorded, null)],
  }
  await service.deps.Order.create(order)
  return order
}
