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
} from './fields.ts'
import { pageOf } from './page.ts'

const variantFields = {
  _id: id,
  label: text,
  sku: textOrNull,
  price: saying('Centimes.', price),
  stock: saying('Units.', count),
}

export const variant = objectOf(variantFields, {})

/** A product as it is read. */
export const product = objectOf(
  {
    _id: id,
    handle: saying('Its name in CSV files.', text),
    name: text,
    description: text,
    images: { type: 'array', items: { type: 'string', format: 'uri' } },
    active: saying('Whether it is for sale.', { type: 'boolean' }),
    sandbox,
    variants: { type: 'array', minItems: 1, items: variant },
    createdAt: instant,
    updatedAt: instant,
  },
  {},
)

const orGone = (schema: { type: string }) => ({ ...schema, type: [schema.type, 'null'] })

/** A variant after its stock changed; null where the variant is gone by then. */
export const stockedVariant = objectOf(
  {
    productId: id,
    _id: orGone(variantFields._id),
    label: orGone(text),
    sku: textOrNull,
    price: saying('Centimes.', orGone(price)),
    stock: saying('Units, after the change.', orGone(count)),
  },
  {},
)

export const deletedProduct = deletedBy('_id')
export const productPage = pageOf(product)
