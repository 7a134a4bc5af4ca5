import { maxLabelLength, maxNameLength, maxSkuLength } from '../product-limits.ts'
import { maxOrderItems, maxUnitsPerItem } from '../simulate-order.ts'
import {
  count,
  currency,
  described,
  id,
  instant,
  objectOf,
  orderNumber,
  orNull,
  price,
  sandbox,
  shaped,
  text,
  textOrNull,
} from './fields.ts'
import { pageOf } from './page.ts'

/** An item of an order. It is a copy of the product and variant as they were at the time of the sale. */
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

/** An order as the API returns it. */
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
