import type { Order } from './order.ts'

/**
 * One try of placing an order: what it takes from the stock bears it, and so does the order if it is this try that places it. A retry of the
 * same request is the same order and another try.
 */
export interface Attempt extends Pick<Order, 'businessId' | 'sandbox' | 'attempt'> {
  order: string
}
