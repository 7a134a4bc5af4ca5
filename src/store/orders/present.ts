import { currencyCode } from '../../../schemas/currency.ts'
import type { ShownOrder } from './order.ts'

/** Returns an order as its merchant sees it. Amounts are in centimes. */
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
