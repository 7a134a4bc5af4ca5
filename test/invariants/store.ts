import { repeatedOf, sumOf } from '../faults/checker/groups.ts'
import type { Check } from './check.ts'

/** Each order has its lines' total and a unique number. */
export const orderTotals: Check = function* ({ orders }) {
  const placed = orders.filter(({ status }) => status === 'PLACED')
  for (const { number } of repeatedOf(placed, (order) => order.number)) yield [number, 'is the number of two orders']
  for (const { number, items, total } of placed) {
    for (const { variantId, unitPrice, quantity, total: line } of items)
      if (line !== unitPrice * quantity || quantity < 1)
        yield [number, `sells ${quantity} of ${variantId} at ${unitPrice} for ${line}`]
    if (total !== sumOf(items, (item) => item.total)) yield [number, `is ${total} in all, and its lines are not`]
  }
}

/**
 * No stock is negative. Stock is the initial stock minus what is sold and reserved, unless the merchant has changed it
 * or the clean-up may have removed orders. A reservation whose order was placed is sold.
 */
export const stockConserved: Check = function* ({ products, orders }, { openingStock, isCleaned }) {
  const placed = orders.filter(({ status }) => status === 'PLACED')
  const attempts = new Set(placed.map(({ attemptId }) => attemptId))
  const taken = new Map<string, number>()
  const take = (items: readonly { variantId: string; quantity: number }[]): void => {
    for (const { variantId, quantity } of items) taken.set(variantId, (taken.get(variantId) ?? 0) + quantity)
  }
  for (const { items } of placed) take(items)
  for (const { reservations } of products)
    for (const { attemptId, items } of reservations) if (!attempts.has(attemptId)) take(items)
  for (const { _id, variants, effects, sandbox } of products)
    for (const { _id: variant, stock } of variants) {
      if (!(stock >= 0)) yield [_id, `has ${stock} in stock`]
      const opening = openingStock.get(variant)
      if (opening === undefined || effects.length > 0 || (sandbox && isCleaned)) continue
      const due = opening - (taken.get(variant) ?? 0)
      if (stock !== due) yield [_id, `has ${stock} of ${variant} in stock, and should have ${due}`]
    }
}
