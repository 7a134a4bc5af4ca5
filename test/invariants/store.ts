import type { Check } from './check.ts'
import { repeatedOf, sumOf } from './groups.ts'

export const orderTotals: Check = function* ({ orders }) {
  for (const { number } of repeatedOf(orders, (order) => order.number))
    yield [number, 'is the number of two orders']
  for (const { number, items, total } of orders) {
    for (const { variantId, unitPrice, quantity, total: line } of items)
      if (line !== unitPrice * quantity || quantity < 1)
        yield [number, `sells ${quantity} of ${variantId} at ${unitPrice} for ${line}`]
    if (total !== sumOf(items, (item) => item.total))
      yield [number, `is ${total} in all, and its lines are not`]
  }
}

/** Stock is what was not sold, unless the merchant or the clean-up changed it. */
export const stockConserved: Check = function* (
  { products, orders },
  { openingStock, restocked, isCleaned },
) {
  const sold = new Map<string, number>()
  for (const { items } of orders)
    for (const { variantId, quantity } of items) sold.set(variantId, (sold.get(variantId) ?? 0) + quantity)
  for (const { _id, variants, sandbox } of products)
    for (const { _id: variant, stock } of variants) {
      if (!(stock >= 0)) yield [_id, `has ${stock} in stock`]
      const opening = openingStock.get(variant)
      if (opening === undefined || restocked.has(_id) || (sandbox && isCleaned)) continue
      const due = opening - (sold.get(variant) ?? 0)
      if (stock !== due) yield [_id, `has ${stock} of ${variant} in stock, and should have ${due}`]
    }
}
