import { currencyCode } from '../../../schemas/currency.ts'
import { declareCollection, type Stored } from '../../mongo/declare.ts'
import { date, flag, list, oneOf, orNull, part, text, type ValueOfField, whole } from '../../mongo/fields.ts'
import { type EventFacts, outboxFields, outboxIndex } from '../../outbox/event.ts'

/** Copied when the order is placed. Amounts are in centimes. */
const itemFields = part({
  productId: text,
  variantId: text,
  name: text,
  variantLabel: text,
  sku: orNull(text),
  unitPrice: whole,
  quantity: whole,
  total: whole,
})
export type OrderItem = ValueOfField<typeof itemFields>

const customerFields = part({ name: orNull(text), phone: orNull(text), email: orNull(text) })
export type OrderCustomer = ValueOfField<typeof customerFields>

export type ShownOrder = Omit<Order, 'businessId' | 'outbox'>
export const orderProjection = { businessId: 0, outbox: 0 } as const

export const orders = declareCollection({
  name: 'orders',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    _id: text,
    businessId: text,
    sandbox: flag,
    status: oneOf<'PLACED'>(),
    number: text,
    items: list(itemFields),
    total: whole,
    customer: orNull(customerFields),
    createdAt: date,
    outbox: list(outboxFields),
  },
  indexes: [
    { name: 'number', key: { number: 1 }, unique: true },
    { name: 'byTime', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1 } },
    outboxIndex,
  ],
})
export type Order = Stored<typeof orders>

export function presentOrder(order: ShownOrder): Record<string, unknown> {
  const { _id, number, status, items, total, customer, sandbox, createdAt } = order
  return { _id, number, status, items, total, currency: currencyCode, customer, sandbox, createdAt }
}

export const orderEventFields = { number: 1, items: 1, total: 1, customer: 1, createdAt: 1 } as const
export type OrderEventSource = Pick<Order, '_id' | keyof typeof orderEventFields>

export const orderEventFormat = 1

/** SPEC 6.2. Never change a released format. Add a new one instead. */
export const orderEventFormats: Record<number, (order: OrderEventSource, facts: EventFacts) => string> = {
  1: (order, { status }) => JSON.stringify(orderFields(order, status)),
}

const orderFields = (order: OrderEventSource, status: string) => ({
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
  customer: order.customer,
  created_at: order.createdAt,
})
