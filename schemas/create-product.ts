import {
  highestStock,
  longestDescription,
  longestLabel,
  longestName,
  longestSku,
  mostImages,
  mostVariants,
} from './product-limits.ts'

/** What of a variant a request gives, in a create and in a change. Prices are centimes. */
export const variantFields = {
  label: {
    description: 'Several may have the same one.',
    type: 'string',
    maxLength: longestLabel,
    format: 'written-text',
  },
  price: {
    description: 'Centimes.',
    type: 'integer',
    format: 'price',
    errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' },
  },
  stock: { description: 'Units.', type: 'integer', minimum: 0, maximum: highestStock },
  sku: {
    description: 'Unique in its shop.',
    type: ['string', 'null'],
    maxLength: longestSku,
    format: 'written-text',
  },
} as const

const { price, stock, sku } = variantFields

/** What of a product a request gives, beside its variants; `price`, `stock` and `sku` are those of the only variant. */
export const productFields = {
  name: { type: 'string', maxLength: longestName, format: 'written-text' },
  description: { type: 'string', maxLength: longestDescription, format: 'written-or-empty-text' },
  images: {
    description: 'Absolute https URLs.',
    type: 'array',
    maxItems: mostImages,
    items: { type: 'string', format: 'https-url' },
  },
  active: { description: 'Whether it is for sale.', type: 'boolean' },
  price,
  stock,
  sku,
} as const

const inVariants = { not: {}, says: 'belongs in each of the variants' } as const

/** With `variants`, what each of them has for itself cannot be given for the product. */
export const notBesideVariants = {
  properties: { price: inVariants, stock: inVariants, sku: inVariants },
} as const

/** Body of POST /dev/store/products (SPEC 4.9). Without `variants` the product has one, and `price` is its. */
export const createProductBody = {
  type: 'object',
  required: ['name'],
  properties: {
    ...productFields,
    variants: {
      type: 'array',
      minItems: 1,
      maxItems: mostVariants,
      items: { type: 'object', required: ['label', 'price'], properties: variantFields },
    },
  },
  dependencies: { variants: notBesideVariants },
  if: { required: ['variants'] },
  else: { required: ['price'] },
} as const

export interface ProductFields {
  name?: string
  description?: string
  images?: string[]
  active?: boolean
}

export interface VariantFields {
  label?: string
  price?: number
  stock?: number
  sku?: string | null
}

export type CreateProductBody = ProductFields & { name: string } & (
    | { variants: (VariantFields & { label: string; price: number })[] }
    | { variants?: undefined; price: number; stock?: number; sku?: string | null }
  )
