import type { Order } from './order.ts'

/**
 * One attempt to place an order. The attempt's id is stored in its reservations, and in the order if the attempt places
 * it. A request may need several attempts at its order, and each retry of the request makes new attempts at the same
 * order.
 */
export interface OrderAttempt extends Pick<Order, 'businessId' | 'sandbox' | 'attemptId'> {
  orderId: string
}
