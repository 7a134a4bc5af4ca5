import {
  highestStock,
  longestDescription,
  longestHandle,
  longestLabel,
  longestName,
  longestSku,
  mostImages,
  mostVariants,
} from '../product-limits.ts'
import {
  count,
  deletedBy,
  id,
  instant,
  objectOf,
  price,
  sandbox,
  saying,
  text,
  textOrNull,
  url,
} from './fields.ts'
import { pageOf } from './page.ts'

const stock = { ...count, maximum: highestStock }

const variantFields = {
  _id: id,
  label: text(longestLabel),
  sku: textOrNull(longestSku),
  price: saying('Centimes.', price),
  stock: saying('Units.', stock),
}

export const variant = objectOf(variantFields, {})

/** A product in a response. */
export const product = objectOf(
  {
    _id: id,
    handle: saying('Its name in CSV files.', text(longestHandle)),
    name: text(longestName),
    description: text(longestDescription),
    images: { type: 'array', maxItems: mostImages, items: { ...url, format: 'iri' } },
    active: saying('Whether the product is for sale.', { type: 'boolean' }),
    sandbox,
    variants: { type: 'array', minItems: 1, maxItems: mostVariants, items: variant },
    createdAt: instant,
    updatedAt: instant,
  },
  {},
)

const orGone = (schema: { type: string }) => ({ ...schema, type: [schema.type, 'null'] })

/** A variant after its stock changed. Its fields are null if the variant was removed meanwhile. */
export const stockedVariant = objectOf(
  {
    productId: id,
    _id: orGone(variantFields._id),
    label: orGone(variantFields.label),
    sku: variantFields.sku,
    price: saying('Centimes.', orGone(price)),
    stock: saying('Units after the change.', orGone(stock)),
  },
  {},
)

export const deletedProduct = deletedBy('_id')
export const productPage = pageOf(product)
