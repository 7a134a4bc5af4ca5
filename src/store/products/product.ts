import { declareCollection, type Stored } from '../../mongo/declare.ts'
import { date, flag, list, type Of, optional, orNull, part, text, whole } from '../../mongo/fields.ts'
import { refuse } from '../../platform/errors.ts'

/** Label of the only variant of a product that is created without `variants`. */
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
export type Variant = Of<typeof variantFields>

export const products = declareCollection({
  name: 'products',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    _id: text,
    businessId: text,
    sandbox: flag,
    /**
     * Stands for the product in CSV files. An imported product has it from the file, any other has its `_id`. A deleted
     * product has none.
     */
    handle: optional(text),
    name: text,
    description: text,
    images: list(text),
    active: flag,
    variants: list(variantFields),
    /** Of all variants. No other product of the shop may have them. */
    skus: list(text),
    /** False once the product is deleted: the merchant no longer sees it. */
    listed: flag,
    /** How many imports have locked the product before they read it. */
    imports: optional(whole),
    deletedAt: orNull(date),
    createdAt: date,
    updatedAt: date,
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

/** As the merchant sees it. Prices are in centimes. */
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
