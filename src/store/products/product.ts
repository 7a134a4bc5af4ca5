import { declareCollection, type Stored } from '../../mongo/declare.ts'
import {
  date,
  flag,
  list,
  optional,
  orNull,
  part,
  text,
  type ValueOfField,
  whole,
} from '../../mongo/fields.ts'
import { refuse } from '../../platform/errors.ts'

/** The only variant of a product gets this label if the request has no `variants`. */
export const defaultLabel = 'Default'

/** Several variants of a product may have the same label. */
const variantFields = part({
  _id: text,
  label: text,
  /** Unique in the shop. */
  sku: orNull(text),
  /** In centimes. */
  price: whole,
  stock: whole,
})
export type Variant = ValueOfField<typeof variantFields>

export const products = declareCollection({
  name: 'products',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    _id: text,
    businessId: text,
    sandbox: flag,
    /** Identifies the product in CSV files. It's the `_id` unless a file sets it. Missing once deleted. */
    handle: optional(text),
    name: text,
    description: text,
    images: list(text),
    active: flag,
    variants: list(variantFields),
    skus: list(text),
    /** False once the product is deleted. */
    listed: flag,
    /** Counts imports that locked the product before reading it. */
    imports: optional(whole),
    deletedAt: orNull(date),
    createdAt: date,
    updatedAt: date,
  },
  indexes: [
    // `$gt: ''` matches any non-empty string, so products without a SKU or handle aren't in the index.
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
      // MongoDB filters lists by `name` and `active` without reading documents.
      key: { businessId: 1, sandbox: 1, listed: 1, createdAt: -1, _id: -1, name: 1, active: 1 },
      partialFilterExpression: { listed: true },
    },
    // The clean-up needs deleted products, which aren't in the other indexes.
    {
      name: 'deletions',
      // Without `deletedAt` in the key, MongoDB would read each document.
      key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, deletedAt: 1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
    },
  ],
})
export type Product = Stored<typeof products>

export const shownProductFields = {
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

export type ShownProduct = Pick<Product, '_id' | keyof typeof shownProductFields>

export function presentProduct(product: ShownProduct): Record<string, unknown> {
  const { _id, handle, name, description, images, active, sandbox, variants, createdAt, updatedAt } = product
  const shown = { _id, handle, name, description, images, active, sandbox }
  return { ...shown, variants: variants.map(presentVariant), createdAt, updatedAt }
}

export const presentVariant = ({ _id, label, sku, price, stock }: Variant) => ({
  _id,
  label,
  sku,
  price,
  stock,
})

type Variants = Pick<Product, 'variants'>

/** Prefers a match by `_id`. Throws VARIANT_NOT_FOUND or VARIANT_LABEL_AMBIGUOUS. Paths have no `param`. */
export const pickVariant = (product: Variants, idOrLabel: string, param: string | null): Variant =>
  product.variants.find(({ _id }) => _id === idOrLabel) ?? variantByLabel(product, idOrLabel, param)

export function variantById({ variants }: Variants, id: string, param: string): Variant {
  const variant = variants.find(({ _id }) => _id === id)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', { param })
  return variant
}

/** Throws VARIANT_NOT_FOUND, or VARIANT_LABEL_AMBIGUOUS with the variants' ids. */
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
