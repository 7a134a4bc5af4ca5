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
import { count, deletedBy, described, id, instant, objectOf, price, sandbox, text, textOrNull, url } from './fields.ts'
import { pageOf } from './page.ts'

const stock = { ...count, maximum: maxStock }

const variantFields = {
  _id: id,
  label: text(maxLabelLength),
  sku: textOrNull(maxSkuLength),
  price: described('Centimes.', price),
  stock: described('The number of units in stock.', stock),
}

export const variant = objectOf(variantFields)

/** A product as the API returns it. */
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
 * A variant as returned after a change to its stock. If the variant has been removed since the change, or if its label
 * has become ambiguous, all of the variant's fields except `_id` are null, and `_id` may be null too.
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
