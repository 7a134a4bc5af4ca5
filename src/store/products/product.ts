import type { Collection } from '../../mongo/collection.ts'

/** The label of the only variant of a product that is created without `variants`. */
export const defaultLabel = 'Default'

/** A variant of a product. Several variants of a product may have the same label. */
export interface Variant {
  _id: string
  label: string
  /** The variant's SKU, which must be unique in the shop. If the variant has no SKU, this is null. */
  sku: string | null
  /** The price in centimes, which is at least 0. */
  price: number
  /** The number of units in stock, which is at least 0. */
  stock: number
}

/**
 * Units that an attempt to place an order has taken from the stock (src/store/orders). The reservation is removed once
 * the order has been stored, or when the units are given back.
 */
export interface Reservation {
  orderId: string
  attemptId: string
  reservedAt: Date
  items: { variantId: string; quantity: number }[]
}

/**
 * Marks a product that an open import is creating or changing (src/store/imports). Until the import ends, other
 * requests can change the stock of the product's variants, but nothing else about the variants.
 */
export interface Preparation {
  /** The token of the import's plan. */
  by: string
}

/**
 * A product as stored in MongoDB. The `_id` is the effect id of the claim that created the product. If an import
 * created the product, the `_id` is a new id.
 */
export interface Product {
  _id: string
  businessId: string
  sandbox: boolean
  /**
   * The product's identifier in CSV files, which is unique in its shop. For an imported product, the handle comes from
   * the file. For any other product, the handle is the product's `_id`. A deleted product has no handle.
   */
  handle?: string
  name: string
  description: string
  images: string[]
  active: boolean
  variants: Variant[]
  /**
   * The SKUs that no other product of the shop may have. These are the SKUs of the product's variants and, during an
   * import, also the SKUs that its variants will get.
   */
  skus: string[]
  /**
   * Whether the merchant can see the product. This is false while an import is still creating the product, and after
   * the product has been deleted.
   */
  listed: boolean
  prepared: Preparation | null
  reservations: Reservation[]
  /**
   * A number that increases whenever the product's fields or its stock change. A write that depends on an earlier read
   * uses this number as a guard.
   */
  revision: number
  /**
   * The time at which the product was deleted, or null. A deleted product stays in the database, so that a retry of the
   * deletion can find it.
   */
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** The effect ids of the latest changes to the product. They prevent a change from being made twice. */
  effects: string[]
  /**
   * The sealed first response to the create request. The response is kept for two days (src/retention). A product that
   * an import created has no such response.
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
    // In the following two indexes, `$gt: ''` matches any non-empty string. A product without SKUs is therefore not in
    // the first index, and a product without a handle is not in the second.
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
      // The index contains `name` and `active`, so that MongoDB can filter a list by these fields without reading
      // documents.
      key: { businessId: 1, sandbox: 1, listed: 1, createdAt: -1, _id: -1, name: 1, active: 1 },
      partialFilterExpression: { listed: true },
    },
    // The clean-up uses this index, because the other indexes do not contain deleted products.
    {
      name: 'deletions',
      // The key ends with `deletedAt`. If that field occurred only in the filter of the index, MongoDB would have to
      // read each document in order to check the field.
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
