import type { Collection } from '../../mongo/collection.ts'

/** The label of the one variant of a product that was given without any. */
export const defaultLabel = 'Default'

/** One thing that is sold of a product. Two may have the same label. */
export interface Variant {
  _id: string
  label: string
  /** Unique in its shop; null without one. */
  sku: string | null
  /** Centimes, from 0. */
  price: number
  /** Units, from 0. */
  stock: number
}

/** Units of a product that an order took from the stock while it is not written down (src/store/orders). */
export interface Reservation {
  order: string
  /** Which try of placing it. */
  tryId: string
  at: Date
  items: { variantId: string; quantity: number }[]
}

/**
 * What an import has made ready here: it counts once the import's plan is committed, and is taken back if it never is (src/store/imports). While it stands
 * nobody changes variants here, but for their stock.
 */
export interface Preparation {
  /** The token of the plan. */
  by: string
}

/** A product as stored. `_id` is the effect id of the claim that created it, or a fresh one where an import did. */
export interface Product {
  _id: string
  businessId: string
  sandbox: boolean
  /** Its name in CSV files, unique in its shop: the import's own, else its `_id`. Deleted, it has none. */
  handle?: string
  name: string
  description: string
  images: string[]
  active: boolean
  variants: Variant[]
  /** The SKUs of its variants, and while an import has it prepared those they are to get: what its shop's other products may not have. */
  skus: string[]
  /** Whether it is there for its merchant: not yet while an import prepares it, and no more once it is deleted. */
  listed: boolean
  prepared: Preparation | null
  reservations: Reservation[]
  /** Grows by one with every change: who writes what he computed from what he read asks for the revision that he read. */
  revision: number
  /** A deletion is a mark, so that a retry of it finds what it did. */
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** Effect ids of the changes made, so that none happens twice. */
  effects: string[]
  /** The sealed first response of the create, for two days (src/retention). An import's products have none. */
  answer?: string
}

export const products: Collection = {
  name: 'products',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    handle: String,
    name: String,
    description: String,
    images: [String],
    active: Boolean,
    variants: [{ _id: String, label: String, sku: String, price: Number, stock: Number }],
    skus: [String],
    listed: Boolean,
    prepared: { type: { by: String }, _id: false, default: null },
    reservations: [
      {
        _id: false,
        order: String,
        tryId: String,
        at: Date,
        items: [{ _id: false, variantId: String, quantity: Number }],
      },
    ],
    revision: Number,
    deletedAt: Date,
    createdAt: Date,
    updatedAt: Date,
    effects: [String],
    answer: String,
  },
  indexes: [
    // A product without any is in neither: no text is less than the empty one.
    {
      name: 'skuInUse',
      key: { businessId: 1, sandbox: 1, skus: 1 },
      unique: true,
      partialFilterExpression: { skus: { $gt: '' } },
    },
    {
      name: 'handleInUse',
      key: { businessId: 1, sandbox: 1, handle: 1 },
      unique: true,
      partialFilterExpression: { handle: { $gt: '' } },
    },
    {
      name: 'byTime',
      // Contains `name` and `active`, so that a list filters by them in the index and reads no other products.
      key: { businessId: 1, sandbox: 1, listed: 1, createdAt: -1, _id: -1, name: 1, active: 1 },
      partialFilterExpression: { listed: true },
    },
    // For the clean-up alone: what was deleted is in none of the others.
    {
      name: 'deletions',
      // The last one, because MongoDB reads the document itself for what is only in the filter of the index.
      key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, deletedAt: 1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
    },
    {
      name: 'prepared',
      key: { 'prepared.by': 1 },
      partialFilterExpression: { 'prepared.by': { $exists: true } },
    },
    {
      name: 'reservedBy',
      key: { 'reservations.order': 1 },
      partialFilterExpression: { 'reservations.order': { $exists: true } },
    },
    {
      name: 'reserved',
      key: { 'reservations.at': 1 },
      partialFilterExpression: { 'reservations.at': { $exists: true } },
    },
  ],
}
