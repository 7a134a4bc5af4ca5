import type { Model, mongo } from 'mongoose'
import { type Collection, nativeCollection } from '../../mongo/collection.ts'
import { type OutboxEvent, outboxFields, outboxIndex } from '../../outbox/event.ts'

/**
 * One line of an order. It is a copy of the product and variant as they were at the time of the sale. Amounts are in
 * centimes.
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

/** An order as stored in MongoDB. The `_id` is the effect id of the claim that placed the order. */
export interface Order {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'PLACED'
  /** The unique order number, in the form `OR-…`. */
  number: string
  /** The id of the attempt that placed this order (attempt.ts). */
  attemptId: string
  items: OrderItem[]
  /** The total amount in centimes. */
  total: number
  customer: Customer | null
  createdAt: Date
  /** The events that have not become deliveries yet. */
  outbox: OutboxEvent[]
  /** The version of the format in which a retry recomputes the first response (recall.ts). */
  responseFormat: number
}

/** The fields of an order that its merchant can see. */
export type ShownOrder = Omit<Order, 'businessId' | 'attemptId' | 'outbox' | 'responseFormat'>
export const shownFields = { businessId: 0, attemptId: 0, outbox: 0, responseFormat: 0 } as const

/** A filter that excludes placeholders. Every query for orders must contain this filter. */
export const placed = { status: 'PLACED' } as const

/**
 * A placeholder for an order that has not been placed (release.ts). It is stored under the order's id and lists the
 * attempts that can no longer place the order. Later attempts can still place the order. Only `storedOrders` reads
 * placeholders.
 */
export interface OrderPlaceholder {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'RELEASED'
  /** The ids of the attempts that can no longer place the order. */
  released: string[]
  createdAt: Date
  /**
   * The time at which MongoDB removes the placeholder. By then, the claim no longer exists, so no further attempt can
   * start.
   */
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
