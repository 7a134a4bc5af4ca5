import { currencyCode } from '../../../schemas/currency.ts'
import type { ShownOrder } from './order.ts'

/** An order as its merchant sees it: amounts in centimes, instants in ISO 8601. */
export const presentOrder = (order: ShownOrder): Record<string, unknown> => ({
  _id: order._id,
  number: order.number,
  status: order.status,
  items: order.items.map((item) => ({
    productId: item.productId,
    variantId: item.variantId,
    name: item.name,
    variantLabel: item.variantLabel,
    sku: item.sku,
    unitPrice: item.unitPrice,
    quantity: item.quantity,
    total: item.total,
  })),
  total: order.total,
  currency: currencyCode,
  customer: order.customer,
  sandbox: order.sandbox,
  createdAt: order.createdAt,
})
