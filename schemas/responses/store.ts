import { maxOrderItems, maxUnitsPerItem } from '../orders.ts'
import {
  maxDescriptionLength,
  maxHandleLength,
  maxImages,
  maxLabelLength,
  maxNameLength,
  maxSkuLength,
  maxStock,
  maxVariants,
} from '../product-limits.ts'
import {
  count,
  currency,
  deletedBy,
  id,
  instant,
  nullable,
  objectOf,
  orderNumber,
  pageOf,
  price,
  sandbox,
  textMatching,
  textOrNull,
  textUpTo,
  url,
  withDescription,
} from './fields.ts'

const stock = { ...count, maximum: maxStock }

const variantFields = {
  _id: id,
  label: textUpTo(maxLabelLength),
  sku: textOrNull(maxSkuLength),
  price: withDescription('Centimes.', price),
  stock: withDescription('The number of units in stock.', stock),
}

export const variantSchema = objectOf(variantFields)

export const productSchema = objectOf({
  _id: id,
  handle: withDescription('Identifies the product in CSV files.', textUpTo(maxHandleLength)),
  name: textUpTo(maxNameLength),
  description: textUpTo(maxDescriptionLength),
  images: withDescription('The URLs of the images.', {
    type: 'array',
    maxItems: maxImages,
    items: { ...url, format: 'iri' },
  }),
  active: withDescription('Whether the product is for sale.', { type: 'boolean' }),
  sandbox,
  variants: { type: 'array', minItems: 1, maxItems: maxVariants, items: variantSchema },
  createdAt: instant,
  updatedAt: instant,
})

const orGone = (schema: { type: string }) => ({ ...schema, type: [schema.type, 'null'] })

/**
 * After a change of its stock. If the variant has been removed since, or its label has become ambiguous, all of its
 * fields except `_id` are null, and `_id` may be null too.
 */
export const stockedVariantSchema = objectOf({
  productId: id,
  _id: orGone(variantFields._id),
  label: orGone(variantFields.label),
  sku: variantFields.sku,
  price: withDescription('Centimes.', orGone(price)),
  stock: withDescription('The number of units in stock after the change.', orGone(stock)),
})

export const deletedProductSchema = deletedBy('_id')
export const productPageSchema = pageOf(productSchema)

const handles = { type: 'array', maxItems: 100, items: textUpTo(maxHandleLength) }

/** What an import did, or a dry run would have done. */
export const importResultSchema = objectOf(
  {
    created: withDescription('The number of products created.', count),
    updated: withDescription('The number of products changed.', count),
    unchanged: withDescription('The number of products that already matched the file.', count),
    variants: withDescription('The number of variants created or changed.', count),
    rows: withDescription('The number of rows in the file, without the header and blank rows.', count),
  },
  {
    dryRun: withDescription('Present only in a dry run, which changes nothing.', {
      type: 'boolean',
      const: true,
    }),
    handles: withDescription(
      'Present only in a dry run: the handles of the first 100 products of each kind.',
      objectOf({ created: handles, updated: handles, unchanged: handles }),
    ),
  },
)

/** A copy of the product and variant at the time of the sale. */
export const orderItemSchema = objectOf({
  productId: id,
  variantId: id,
  name: textUpTo(maxNameLength),
  variantLabel: textUpTo(maxLabelLength),
  sku: textOrNull(maxSkuLength),
  unitPrice: withDescription('Centimes per unit.', price),
  quantity: { ...count, minimum: 1, maximum: maxUnitsPerItem },
  total: withDescription('Centimes: `unitPrice` times `quantity`.', price),
})

export const customerSchema = objectOf({
  name: textOrNull(200),
  phone: { ...textMatching('^[0-9]{8,15}$', 15), type: ['string', 'null'] },
  email: textOrNull(254),
})

export const orderSchema = objectOf({
  _id: id,
  number: orderNumber,
  status: { type: 'string', const: 'PLACED' },
  items: { type: 'array', maxItems: maxOrderItems, items: orderItemSchema },
  total: withDescription('Centimes. The sum of all items.', price),
  currency,
  customer: nullable(customerSchema),
  sandbox,
  createdAt: instant,
})

export const orderPageSchema = pageOf(orderSchema)
