import type { ShownOrder } from './order.ts'

/** The `data` of an order event (SPEC 6.2): the order in snake_case; `reference_number` is its number. Amounts in centimes. */
export const orderPayload = (order: ShownOrder): Record<string, unknown> => ({
  _id: order._id,
  reference_number: order.number,
  number: order.number,
  status: order.status,
  items: order.items.map((item) => ({
    product_id: item.productId,
    variant_id: item.variantId,
    name: item.name,
    variant_label: item.variantLabel,
    sku: item.sku,
    unit_price: item.unitPrice,
    quantity: item.quantity,
    total: item.total,
  })),
  total: order.total,
  currency: 'MRU',
  customer: order.customer,
  created_at: order.createdAt,
})
