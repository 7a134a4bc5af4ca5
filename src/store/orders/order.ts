import type { Model, mongo } from 'mongoose'
import { type Collection, pastMongoose } from '../../mongo/collection.ts'
import { type OutboxEvent, outboxFields, outboxIndex } from '../../outbox/event.ts'

/** One line of an order, a copy of what was sold: names and prices stay as they were. Amounts in centimes. */
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

/** An order as stored. `_id` is the effect id of the claim that placed it. */
export interface Order {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'PLACED'
  /** `OR-…`, unique. */
  number: string
  /** The try of placing it whose reservations are its own. */
  tryId: string
  items: OrderItem[]
  /** Centimes. */
  total: number
  customer: Customer | null
  createdAt: Date
  /** Events whose deliveries are not made yet. */
  outbox: OutboxEvent[]
  /** By which format a retry computes the response to the request that placed it (recall.ts). */
  responseFormat: number
}

/** What a merchant sees of an order. */
export type ShownOrder = Omit<Order, 'businessId' | 'tryId' | 'outbox' | 'responseFormat'>
export const shownFields = { businessId: 0, tryId: 0, outbox: 0, responseFormat: 0 } as const

/** The part of a filter that leaves out what only stands in an order's place. Whoever finds orders has it. */
export const placed = { status: 'PLACED' } as const

/**
 * What stands in an order's place when tries of placing it were given up (release.ts): none of these can be placed any more, a later one can.
 * Only what decides over tries reads one, by `storedOrders`.
 */
export interface ReleasedOrder {
  _id: string
  businessId: string
  sandbox: boolean
  status: 'RELEASED'
  /** The ids of the tries. */
  released: string[]
  createdAt: Date
  /** When it is forgotten: after the claim under which a try could still come. */
  expiresAt: Date
}

/** The collection as it is: orders, and what stands in the place of some. */
export const storedOrders = (deps: { Order: Model<Order> }) =>
  pastMongoose(deps.Order) as unknown as mongo.Collection<Order | ReleasedOrder>

export const orders: Collection = {
  name: 'orders',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    status: String,
    number: String,
    tryId: String,
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
