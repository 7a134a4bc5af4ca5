import type { Model } from 'mongoose'
import { currencyCode } from '../../../schemas/currency.ts'
import type { Collection } from '../../mongo/collection.ts'
import { type OutboxEvent, outboxFields, outboxIndex } from '../../outbox/event.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    Order: Model<Order>
  }
}

/** A copy of the product and variant at the time of the sale. Amounts are in centimes. */
export interface OrderItem {
  productId: string
  variantId: string
  name: string
  variantLabel: string
  sku: string | null
  unitPrice: number
  quantity: number
  total: number
}

export interface Customer {
  name: string | null
  phone: string | null
  email: string | null
}

export interface Order {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'PLACED'
  /** Unique; begins with `OR-`. */
  number: string
  items: OrderItem[]
  /** In centimes. */
  total: number
  customer: Customer | null
  createdAt: Date
  /** Events that haven't become deliveries yet. */
  outbox: OutboxEvent[]
}

export type ShownOrder = Omit<Order, 'businessId' | 'outbox'>
export const shownFields = { businessId: 0, outbox: 0 } as const

export const orders: Collection = {
  name: 'orders',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    status: String,
    number: String,
    items: [
      {
        _id: false,
        productId: String,
        variantId: String,
        name: String,
        variantLabel: String,
        sku: String,
        unitPrice: Number,
        quantity: Number,
        total: Number,
      },
    ],
    total: Number,
    customer: { type: { name: String, phone: String, email: String }, _id: false, default: null },
    createdAt: Date,
    outbox: outboxFields,
  },
  indexes: [
    { name: 'number', key: { number: 1 }, unique: true },
    { name: 'byTime', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1 } },
    outboxIndex,
  ],
}

/** As the merchant sees it. Amounts are in centimes. */
export function presentOrder(order: ShownOrder): Record<string, unknown> {
  const { _id, number, status, items, total, customer, sandbox, createdAt } = order
  return { _id, number, status, items, total, currency: currencyCode, customer, sandbox, createdAt }
}
