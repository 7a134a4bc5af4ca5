import { currencyCode } from '../../../schemas/currency.ts'
import type { Facts } from '../../outbox/event.ts'
import type { Order } from './order.ts'

/** Fields for events that never change. Those that may are stored in the event (outbox/event.ts). */
export const orderSourceFields = { number: 1, items: 1, total: 1, customer: 1, createdAt: 1 } as const
export type OrderSource = Pick<Order, '_id' | keyof typeof orderSourceFields>

export const orderFormat = 1

/**
 * Each format returns an order event's `data` (SPEC 6.2) as JSON: the order in snake_case, with its number as
 * `reference_number`, and amounts in centimes. Never change a released format. To change what is sent, add one with the
 * next number.
 */
export const orderFormats: Record<number, (order: OrderSource, facts: Facts) => string> = {
  1: (order, { status }) => JSON.stringify(orderFields(order, status)),
}

const orderFields = (order: OrderSource, status: string) => ({
  _id: order._id,
  reference_number: order.number,
  number: order.number,
  status,
  items: order.items.map((item) => ({
    product_id: item.productId,
    variant_id: item.variantId,
    name: item.name,
    variant_label: item.variantLabel,
    sku: item.sku,
    unit_price: item.unitPrice,
    quantity: item.quantity,
    total: item.total,
  })),
  total: order.total,
  currency: currencyCode,
  customer: order.customer && {
    name: order.customer.name,
    phone: order.customer.phone,
    email: order.customer.email,
  },
  created_at: order.createdAt,
})
