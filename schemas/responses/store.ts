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
  described,
  id,
  instant,
  objectOf,
  orderNumber,
  orNull,
  pageOf,
  price,
  sandbox,
  shaped,
  text,
  textOrNull,
  url,
} from './fields.ts'

const stock = { ...count, maximum: maxStock }

const variantFields = {
  _id: id,
  label: text(maxLabelLength),
  sku: textOrNull(maxSkuLength),
  price: described('Centimes.', price),
  stock: described('The number of units in stock.', stock),
}

export const variant = objectOf(variantFields)

export const product = objectOf({
  _id: id,
  handle: described('Identifies the product in CSV files.', text(maxHandleLength)),
  name: text(maxNameLength),
  description: text(maxDescriptionLength),
  images: described('The URLs of the images.', {
    type: 'array',
    maxItems: maxImages,
    items: { ...url, format: 'iri' },
  }),
  active: described('Whether the product is for sale.', { type: 'boolean' }),
  sandbox,
  variants: { type: 'array', minItems: 1, maxItems: maxVariants, items: variant },
  createdAt: instant,
  updatedAt: instant,
})

const orGone = (schema: { type: string }) => ({ ...schema, type: [schema.type, 'null'] })

/**
 * After a change of its stock. If the variant has been removed since, or its label has become ambiguous, all of its
 * fields except `_id` are null, and `_id` may be null too.
 */
export const stockedVariant = objectOf({
  productId: id,
  _id: orGone(variantFields._id),
  label: orGone(variantFields.label),
  sku: variantFields.sku,
  price: described('Centimes.', orGone(price)),
  stock: described('The number of units in stock after the change.', orGone(stock)),
})

export const deletedProduct = deletedBy('_id')
export const productPage = pageOf(product)

const handles = { type: 'array', maxItems: 100, items: text(maxHandleLength) }

/** What an import did, or a dry run would have done. */
export const importResult = objectOf(
  {
    created: described('The number of products created.', count),
    updated: described('The number of products changed.', count),
    unchanged: described('The number of products that already matched the file.', count),
    variants: described('The number of variants created or changed.', count),
    rows: described('The number of rows in the file, without the header and blank rows.', count),
  },
  {
    dryRun: described('Present only in a dry run, which changes nothing.', { type: 'boolean', const: true }),
    handles: described(
      'Present only in a dry run: the handles of the first 100 products of each kind.',
      objectOf({ created: handles, updated: handles, unchanged: handles }),
    ),
  },
)

/** A copy of the product and variant at the time of the sale. */
export const orderItem = objectOf({
  productId: id,
  variantId: id,
  name: text(maxNameLength),
  variantLabel: text(maxLabelLength),
  sku: textOrNull(maxSkuLength),
  unitPrice: described('Centimes per unit.', price),
  quantity: { ...count, minimum: 1, maximum: maxUnitsPerItem },
  total: described('Centimes: `unitPrice` times `quantity`.', price),
})

export const customer = objectOf({
  name: textOrNull(200),
  phone: { ...shaped('^[0-9]{8,15}$', 15), type: ['string', 'null'] },
  email: textOrNull(254),
})

export const order = objectOf({
  _id: id,
  number: orderNumber,
  status: { type: 'string', const: 'PLACED' },
  items: { type: 'array', maxItems: maxOrderItems, items: orderItem },
  total: described('Centimes. The sum of all items.', price),
  currency,
  customer: orNull(customer),
  sandbox,
  createdAt: instant,
})

export const orderPage = pageOf(order)
