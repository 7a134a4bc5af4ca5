import { currencyCode } from '../../../schemas/currency.ts'
import type { Facts } from '../../outbox/facts.ts'
import type { Order } from './order.ts'

/**
 * The immutable fields of an order that appear in its events. The fields that may change are stored in the event
 * (facts.ts).
 */
export const orderSourceFields = { number: 1, items: 1, total: 1, customer: 1, createdAt: 1 } as const
export type OrderSource = Pick<Order, '_id' | keyof typeof orderSourceFields>

/** The current format, which new order events use. */
export const orderFormat = 1

/**
 * The functions that return an order event's `data` (SPEC 6.2) as JSON, by format number. `data` contains the order
 * with its field names in snake_case, and `reference_number` is the order's number. Amounts are in centimes. A released
 * format must never change. To change what is sent, add a format with the next number.
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
  customer: order.customer && { name: order.customer.name, phone: order.customer.phone, email: order.customer.email },
  created_at: order.createdAt,
})
