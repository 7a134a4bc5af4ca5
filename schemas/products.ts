import { bomSchema, delimiterSchema } from './delimiter.ts'
import {
  described,
  listQuery,
  normalisedText,
  querySchema,
  type SchemaValue,
  storableText,
} from './requests.ts'

/** Lengths count Unicode code points. */
export const maxProductNameLength = 200
export const maxDescriptionLength = 5_000
export const maxVariantLabelLength = 100
export const maxSkuLength = 64
export const maxHandleLength = 100
export const maxProductImages = 10
export const maxProductVariants = 100

/** A list of 100 products of this size takes up 6.5 MB. */
export const maxProductBytes = 65_536

export const maxStockUnits = 1_000_000_000

const units = { type: 'integer', minimum: 0, maximum: maxStockUnits } as const

export const variantFields = {
  label: described('For example, a size.', normalisedText('name', maxVariantLabelLength)),
  price: described('Centimes.', {
    type: 'integer',
    format: 'price',
    errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' },
  }),
  stock: described('The number of units in stock.', units),
  sku: described('Your own stock keeping unit. It must be unique within the shop.', {
    type: ['string', 'null'],
    maxLength: maxSkuLength,
    normalise: 'reference',
  }),
} as const

const { price, stock, sku } = variantFields

const productFields = {
  name: normalisedText('name', maxProductNameLength),
  description: { type: 'string', maxLength: maxDescriptionLength, format: 'written-or-empty-text' },
  images: described('The URLs of the images. They must be absolute https URLs.', {
    type: 'array',
    maxItems: maxProductImages,
    items: { type: 'string', format: 'https-url' },
  }),
  active: { description: 'Whether the product is for sale.', type: 'boolean' },
  price,
  stock,
  sku,
} as const

const inVariants = { not: {}, message: 'cannot be combined with variants: set it in each variant' } as const

const notBesideVariants = {
  properties: { price: inVariants, stock: inVariants, sku: inVariants },
} as const

export const createProductBody = {
  type: 'object',
  required: ['name'],
  properties: {
    ...productFields,
    variants: {
      type: 'array',
      minItems: 1,
      maxItems: maxProductVariants,
      items: { type: 'object', required: ['label', 'price'], properties: variantFields },
    },
  },
  dependencies: { variants: notBesideVariants },
  if: { required: ['variants'] },
  else: { required: ['price'] },
} as const

type Accepted = SchemaValue<typeof createProductBody>
type GivenVariants = NonNullable<Accepted['variants']>

export type VariantFields = Partial<GivenVariants[number]>

export type CreateProductBody = Omit<Accepted, 'variants' | 'price'> &
  ({ variants: GivenVariants } | { variants?: undefined; price: number })

export const updateProductBody = {
  type: 'object',
  properties: {
    ...productFields,
    variants: {
      type: 'array',
      maxItems: maxProductVariants,
      items: {
        type: 'object',
        properties: { _id: storableText(64), ...variantFields },
        if: { required: ['_id'] },
        else: { required: ['label'] },
      },
    },
    removeMissingVariants: described('Removes variants missing from `variants`.', { type: 'boolean' }),
  },
  dependencies: { variants: notBesideVariants },
  if: {
    not: { properties: { removeMissingVariants: { const: true } }, required: ['removeMissingVariants'] },
  },
  else: {
    properties: {
      variants: {
        type: 'array',
        minItems: 1,
        maxItems: maxProductVariants,
        items: {},
        message: 'must leave at least one variant',
      },
    },
  },
} as const

export type UpdateProductBody = SchemaValue<typeof updateProductBody>

export const changeStockBody = {
  type: 'object',
  absenceWidens: ['stock', 'delta'],
  properties: {
    stock: described('The new stock level, in units.', units),
    delta: described('The number of units to add to the stock. A negative number subtracts units.', {
      type: 'integer',
      minimum: -maxStockUnits,
      maximum: maxStockUnits,
    }),
  },
  dependencies: {
    stock: {
      properties: {
        delta: { not: {}, message: 'cannot be combined with stock: send either stock or delta' },
      },
    },
  },
  if: { required: ['delta'] },
  else: { required: ['stock'], message: 'or delta is required' },
} as const

export type ChangeStockBody = { stock: number } | { delta: number }

export const importProductsQuery = querySchema({
  dryRun: { description: 'If `true`, the file is checked, but nothing changes.', enum: ['true', 'false'] },
})

export type ImportProductsQuery = SchemaValue<typeof importProductsQuery>

/** 2 MiB, the limit for a JSON body. */
const maxCsvLength = 2 * 1024 * 1024

export const importProductsFields = {
  json: { type: 'object', properties: { csv: {} }, absenceWidens: ['dryRun'] },
  form: { type: 'object', properties: { file: {} }, absenceWidens: ['dryRun'] },
} as const

/** The file can also be the raw body or the `file` field of a form. */
export const importProductsBody = {
  ...importProductsFields.json,
  required: ['csv'],
  properties: {
    csv: described('The text of the CSV file.', {
      type: 'string',
      minLength: 1,
      maxLength: maxCsvLength,
      format: 'storable-text',
    }),
  },
} as const

export const exportProductsQuery = querySchema({ delimiter: delimiterSchema, bom: bomSchema })

export const listProductsQuery = listQuery({
  active: { description: 'Only products that are, or are not, for sale.', enum: ['true', 'false'] },
  q: described(
    'Only products whose name contains this text, ignoring case.',
    normalisedText('name', maxProductNameLength),
  ),
  sku: described('Only the product with this SKU.', normalisedText('reference', maxSkuLength)),
})

export type ListProductsQuery = SchemaValue<typeof listProductsQuery>
