import { declareCollection, type Stored } from '../../mongo/declare.ts'
import * as field from '../../mongo/fields.ts'
import { refuse } from '../../platform/errors.ts'

export const defaultVariantLabel = 'Default'

/** Variants of a product may share a label. */
const variantFields = field.part({
  _id: field.text,
  label: field.text,
  /** Unique in the shop. */
  sku: field.orNull(field.text),
  /** In centimes. */
  price: field.whole,
  stock: field.whole,
})
export type Variant = field.ValueOfField<typeof variantFields>

export const products = declareCollection({
  name: 'products',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    _id: field.text,
    businessId: field.text,
    sandbox: field.flag,
    /** Identifies the product in CSV files. Missing once it's deleted. */
    handle: field.optional(field.text),
    name: field.text,
    description: field.text,
    images: field.list(field.text),
    active: field.flag,
    variants: field.list(variantFields),
    skus: field.list(field.text),
    listed: field.flag,
    imports: field.optional(field.whole),
    deletedAt: field.orNull(field.date),
    createdAt: field.date,
    updatedAt: field.date,
  },
  indexes: [
    // `$gt: ''` excludes products without a SKU or handle from the index.
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
      // With `name` and `active`, lists are filtered without reading documents.
      key: { businessId: 1, sandbox: 1, listed: 1, createdAt: -1, _id: -1, name: 1, active: 1 },
      partialFilterExpression: { listed: true },
    },
    // The clean-up needs deleted products, which aren't in the other indexes.
    {
      name: 'deletions',
      // Without `deletedAt` in the key, MongoDB would have to fetch each one.
      key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, deletedAt: 1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
    },
  ],
})
export type Product = Stored<typeof products>

export const productProjection = { businessId: 0, skus: 0, listed: 0, imports: 0, deletedAt: 0 } as const

export type ShownProduct = Omit<Product, keyof typeof productProjection>

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

/** Prefers a match by `_id`. */
export const pickVariant = (product: Variants, idOrLabel: string, param: string | null): Variant =>
  product.variants.find(({ _id }) => _id === idOrLabel) ?? getVariantByLabel(product, idOrLabel, param)

export function getVariantById({ variants }: Variants, id: string, param: string): Variant {
  const variant = variants.find(({ _id }) => _id === id)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', { param })
  return variant
}

export function getVariantByLabel({ variants }: Variants, label: string, param: string | null): Variant {
  const [variant, ...others] = variants.filter((each) => each.label === label)
  const at = param === null ? {} : { param }
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', at)
  if (others.length > 0)
    throw refuse('VARIANT_LABEL_AMBIGUOUS', {
      ...at,
      details: { variantIds: [variant, ...others].map(({ _id }) => _id) },
    })
  return variant
}
