import type { Order } from './order.ts'

/**
 * One try of placing an order: what it takes from the stock bears its id, and so does the order if it is this try that places it. A retry of
 * the same request is the same order and another try.
 */
export interface Try extends Pick<Order, 'businessId' | 'sandbox' | 'tryId'> {
  order: string
}
