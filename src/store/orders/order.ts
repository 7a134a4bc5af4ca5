import type { Model, mongo } from 'mongoose'
import { type Collection, nativeCollection } from '../../mongo/collection.ts'
import { type OutboxEvent, outboxFields, outboxIndex } from '../../outbox/event.ts'

/**
 * One line of an order, which is a copy of the product and variant at the time of the sale. Amounts are in centimes.
 */
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

/** An order as stored. The `_id` is the effect id of the claim that placed the order. */
export interface Order {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'PLACED'
  /** `OR-…`. The number is unique. */
  number: string
  /** The attempt that placed this order (attempt.ts). */
  attemptId: string
  items: OrderItem[]
  /** In centimes. */
  total: number
  customer: Customer | null
  createdAt: Date
  /** Events that have not become deliveries yet. */
  outbox: OutboxEvent[]
  /** The format version that a retry uses to recompute the first response (recall.ts). */
  responseFormat: number
}

/** The fields of an order that its merchant can see. */
export type ShownOrder = Omit<Order, 'businessId' | 'attemptId' | 'outbox' | 'responseFormat'>
export const shownFields = { businessId: 0, attemptId: 0, outbox: 0, responseFormat: 0 } as const

/** Every query for orders must contain this filter, which excludes placeholders. */
export const placed = { status: 'PLACED' } as const

/**
 * A placeholder for an order that one or more attempts have failed to place (release.ts), stored under the order's id.
 * These attempts can no longer place the order, but a later attempt can. Only `storedOrders` reads placeholders.
 */
export interface OrderPlaceholder {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'RELEASED'
  /** The ids of the attempts that can no longer place the order. */
  released: string[]
  createdAt: Date
  /** When MongoDB removes the placeholder. By then, the claim no longer exists, so no further attempt can start. */
  expiresAt: Date
}

/** Returns the collection that contains both orders and placeholders. */
export const storedOrders = (deps: { Order: Model<Order> }) =>
  nativeCollection(deps.Order) as unknown as mongo.Collection<Order | OrderPlaceholder>

export const orders: Collection = {
  name: 'orders',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    status: String,
    number: String,
    attemptId: String,
    released: { type: [String], default: undefined },
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
    responseFormat: Number,
    expiresAt: Date,
  },
  indexes: [
    {
      name: 'number',
      key: { number: 1 },
      unique: true,
      partialFilterExpression: { number: { $exists: true } },
    },
    { name: 'byTime', key: { businessId: 1, sandbox: 1, status: 1, createdAt: -1, _id: -1 } },
    outboxIndex,
    { name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
}
