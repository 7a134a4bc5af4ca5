import type { Order } from './order.ts'

/**
 * One attempt to place an order. The attempt's id is stored in its reservations and in the order that it places. When
 * the request is retried, a new attempt is made at the same order.
 */
export interface OrderAttempt extends Pick<Order, 'businessId' | 'sandbox' | 'attemptId'> {
  orderId: string
}
