import type { Model } from 'mongoose'
import type { Collection } from '../../mongo/collection.ts'
import { refuse } from '../../platform/errors.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    Product: Model<Product>
  }
}

/** Label of the only variant of a product that is created without `variants`. */
export const defaultLabel = 'Default'

/** Several variants of a product may have the same label. */
export interface Variant {
  _id: string
  label: string
  /** Unique in the shop, or null. */
  sku: string | null
  /** Centimes, at least 0. */
  price: number
  /** Units, at least 0. */
  stock: number
}

export interface Product {
  _id: string
  businessId: string
  sandbox: boolean
  /**
   * Stands for the product in CSV files, and is unique in its shop. An imported product has it from the file, any other
   * has its `_id`. A deleted product has none.
   */
  handle?: string
  name: string
  description: string
  images: string[]
  active: boolean
  variants: Variant[]
  /** Of all variants. No other product of the shop may have them. */
  skus: string[]
  /** False once the product is deleted: the merchant no longer sees it. */
  listed: boolean
  /** How many imports have locked the product before they read it. */
  imports?: number
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
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
    imports: Number,
    deletedAt: Date,
    createdAt: Date,
    updatedAt: Date,
  },
  indexes: [
    // In the next two indexes, `$gt: ''` matches any non-empty string. Products without SKUs aren't in the first, and
    // those without a handle aren't in the second.
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
      // Contains `name` and `active`, so that MongoDB can filter a list by them without reading documents.
      key: { businessId: 1, sandbox: 1, listed: 1, createdAt: -1, _id: -1, name: 1, active: 1 },
      partialFilterExpression: { listed: true },
    },
    // For the clean-up, because the other indexes don't contain deleted products.
    {
      name: 'deletions',
      // Ends with `deletedAt`: were it only in the index's filter, MongoDB would have to read each document.
      key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, deletedAt: 1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
    },
  ],
}

export const shownFields = {
  handle: 1,
  name: 1,
  description: 1,
  images: 1,
  active: 1,
  sandbox: 1,
  variants: 1,
  createdAt: 1,
  updatedAt: 1,
} as const

export type ShownProduct = Pick<Product, '_id' | keyof typeof shownFields>

/** As the merchant sees it. Prices are in centimes. */
export function presentProduct(product: ShownProduct): Record<string, unknown> {
  const { _id, handle, name, description, images, active, sandbox, variants, createdAt, updatedAt } = product
  const shown = { _id, handle, name, description, images, active, sandbox }
  return { ...shown, variants: variants.map(presentVariant), createdAt, updatedAt }
}

export const presentVariant = ({ _id, label, sku, price, stock }: Variant) => ({ _id, label, sku, price, stock })

type Variants = Pick<Product, 'variants'>

/**
 * Goes by `_id` first, then by label. Throws VARIANT_NOT_FOUND or VARIANT_LABEL_AMBIGUOUS. `param` is the request field
 * that identifies the variant, or null if it's in the path.
 */
export const pickVariant = (product: Variants, idOrLabel: string, param: string | null): Variant =>
  product.variants.find(({ _id }) => _id === idOrLabel) ?? variantByLabel(product, idOrLabel, param)

/** Throws VARIANT_NOT_FOUND. */
export function variantById({ variants }: Variants, id: string, param: string): Variant {
  const variant = variants.find(({ _id }) => _id === id)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', { param })
  return variant
}

/** Throws VARIANT_NOT_FOUND, or VARIANT_LABEL_AMBIGUOUS with the ids of those that share the label. */
export function variantByLabel({ variants }: Variants, label: string, param: string | null): Variant {
  const [variant, ...others] = variants.filter((each) => each.label === label)
  const field = param === null ? {} : { param }
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', field)
  if (others.length > 0)
    throw refuse('VARIANT_LABEL_AMBIGUOUS', {
      ...field,
      details: { variantIds: [variant, ...others].map(({ _id }) => _id) },
    })
  return variant
}
