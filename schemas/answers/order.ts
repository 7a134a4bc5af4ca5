import {
  count,
  currency,
  id,
  instant,
  objectOf,
  orNull,
  price,
  sandbox,
  saying,
  text,
  textOrNull,
} from './fields.ts'
import { pageOf } from './page.ts'

/** One line of an order: a copy of what was sold. */
export const orderItem = objectOf(
  {
    productId: id,
    variantId: id,
    name: text,
    variantLabel: text,
    sku: textOrNull,
    unitPrice: saying('Centimes.', price),
    quantity: { ...count, minimum: 1 },
    total: saying('Centimes.', price),
  },
  {},
)

export const customer = objectOf({ name: textOrNull, phone: textOrNull, email: textOrNull }, {})

/** An order as it is read. */
export const order = objectOf(
  {
    _id: id,
    number: { type: 'string', pattern: '^OR-[0-9A-Z]{16}$' },
    status: { type: 'string', const: 'PLACED' },
    items: { type: 'array', items: orderItem },
    total: saying('Centimes.', price),
    currency,
    customer: orNull(customer),
    sandbox,
    createdAt: instant,
  },
  {},
)

export const orderPage = pageOf(order)
