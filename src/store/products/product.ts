import type { Collection } from '../../mongo/collection.ts'

/** The label of the only variant if a product is created without variants. */
export const defaultLabel = 'Default'

/** Two variants of a product may have the same label. */
export interface Variant {
  _id: string
  label: string
  /** Unique in its shop, or null. */
  sku: string | null
  /** Centimes, from 0. */
  price: number
  /** Units, from 0. */
  stock: number
}

/** Units taken from the stock for an order that is not stored yet (src/store/orders). */
export interface Reservation {
  orderId: string
  attemptId: string
  reservedAt: Date
  items: { variantId: string; quantity: number }[]
}

/**
 * Marks a product that an open import creates or changes (src/store/imports). Until the import ends, its variants
 * cannot change, except their stock.
 */
export interface Preparation {
  /** The token of the plan. */
  by: string
}

/** A product as stored. `_id` is the effect id of the claim that created it, or a new id if an import did. */
export interface Product {
  _id: string
  businessId: string
  sandbox: boolean
  /**
   * The product's identifier in CSV files, unique in its shop. An import sets it from the file; otherwise, it is the
   * `_id`. A deleted product has none.
   */
  handle?: string
  name: string
  description: string
  images: string[]
  active: boolean
  variants: Variant[]
  /**
   * The SKUs that no other product of the shop can have: those of its variants and, during an import, also those that
   * its variants will get.
   */
  skus: string[]
  /**
   * Whether the merchant sees the product. False while an import is preparing a new product, and once the product is
   * deleted.
   */
  listed: boolean
  prepared: Preparation | null
  reservations: Reservation[]
  /** Every change increments this number, which guards every write that depends on an earlier read. */
  revision: number
  /** A deleted product stays stored, so that a retry of the deletion finds it. */
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** The effect ids of the product's changes, so that no change happens twice. */
  effects: string[]
  /**
   * The sealed first response to the create request, kept for two days (src/retention). Imported products have none.
   */
  sealedResponse?: string
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
        orderId: String,
        attemptId: String,
        reservedAt: Date,
        items: [{ _id: false, variantId: String, quantity: Number }],
      },
    ],
    revision: Number,
    deletedAt: Date,
    createdAt: Date,
    updatedAt: Date,
    effects: [String],
    sealedResponse: String,
  },
  indexes: [
    // `$gt: ''` matches any non-empty string. A product without SKUs, or without a handle, is not in the index.
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
      // Contains `name` and `active`, so that a list can be filtered by them without reading the documents.
      key: { businessId: 1, sandbox: 1, listed: 1, createdAt: -1, _id: -1, name: 1, active: 1 },
      partialFilterExpression: { listed: true },
    },
    // For the clean-up, because the other indexes contain no deleted products.
    {
      name: 'deletions',
      // Ends with `deletedAt`, because MongoDB would read the document for a field that occurs only in the filter of
      // the index.
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
      key: { 'reservations.orderId': 1 },
      partialFilterExpression: { 'reservations.orderId': { $exists: true } },
    },
    {
      name: 'reserved',
      key: { 'reservations.reservedAt': 1 },
      partialFilterExpression: { 'reservations.reservedAt': { $exists: true } },
    },
  ],
}
