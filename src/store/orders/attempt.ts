import type { Order } from './order.ts'

/**
 * One attempt to place an order. Its id is stored in its reservations and in the order that it places. A retry of the
 * request makes another attempt at the same order.
 */
export interface OrderAttempt extends Pick<Order, 'businessId' | 'sandbox' | 'attemptId'> {
  orderId: string
}
