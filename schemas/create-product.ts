import {
  maxDescriptionLength,
  maxImages,
  maxLabelLength,
  maxNameLength,
  maxSkuLength,
  maxStock,
  maxVariants,
} from './product-limits.ts'
import type { ValueOf } from './value-of.ts'

/** The fields of a variant in a create or update request. The price is in centimes. */
export const variantFields = {
  label: {
    description: 'The name of the variant, such as its size.',
    type: 'string',
    maxLength: maxLabelLength,
    normalise: 'name',
  },
  price: {
    description: 'Centimes.',
    type: 'integer',
    format: 'price',
    errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' },
  },
  stock: { description: 'The number of units in stock.', type: 'integer', minimum: 0, maximum: maxStock },
  sku: {
    description: 'Your own stock keeping unit. It must be unique within the shop.',
    type: ['string', 'null'],
    maxLength: maxSkuLength,
    normalise: 'reference',
  },
} as const

const { price, stock, sku } = variantFields

/**
 * The fields of a product in a create or update request, apart from `variants`. If a product has only one variant, the
 * fields `price`, `stock` and `sku` describe that variant.
 */
export const productFields = {
  name: { type: 'string', maxLength: maxNameLength, normalise: 'name' },
  description: { type: 'string', maxLength: maxDescriptionLength, format: 'written-or-empty-text' },
  images: {
    description: 'The URLs of the images. They must be absolute https URLs.',
    type: 'array',
    maxItems: maxImages,
    items: { type: 'string', format: 'https-url' },
  },
  active: { description: 'Whether the product is for sale.', type: 'boolean' },
  price,
  stock,
  sku,
} as const

const inVariants = { not: {}, message: 'cannot be combined with variants: set it in each variant' } as const

/** Rejects a request that contains both `variants` and a product-level `price`, `stock` or `sku`. */
export const notBesideVariants = {
  properties: { price: inVariants, stock: inVariants, sku: inVariants },
} as const

/**
 * The body of a POST /dev/store/products request (SPEC 4.9). If `variants` is omitted, the product gets a single
 * variant, whose price is the `price` of the request.
 */
export const createProductBody = {
  type: 'object',
  required: ['name'],
  properties: {
    ...productFields,
    variants: {
      type: 'array',
      minItems: 1,
      maxItems: maxVariants,
      items: { type: 'object', required: ['label', 'price'], properties: variantFields },
    },
  },
  dependencies: { variants: notBesideVariants },
  if: { required: ['variants'] },
  else: { required: ['price'] },
} as const

type Accepted = ValueOf<typeof createProductBody>
type GivenVariants = NonNullable<Accepted['variants']>

export type VariantFields = Partial<GivenVariants[number]>

export type CreateProductBody = Omit<Accepted, 'variants' | 'price'> &
  ({ variants: GivenVariants } | { variants?: undefined; price: number })
