import { currencyCode } from '../../../schemas/currency.ts'
import type { ShownOrder } from './order.ts'

/** Returns an order as its merchant sees it. Amounts are in centimes. */
export function presentOrder(order: ShownOrder): Record<string, unknown> {
  const { _id, number, status, items, total, customer, sandbox, createdAt } = order
  return { _id, number, status, items, total, currency: currencyCode, customer, sandbox, createdAt }
}
