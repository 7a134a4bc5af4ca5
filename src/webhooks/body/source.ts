import type { Intent } from '../../intents/intent.ts'
import type { Order } from '../../store/orders/order.ts'

/** The fields of an intent or order that a body shows and that never change. The event stores the rest of `data` (facts.ts). */
export type BodySource = PaymentSource | OrderSource
export type PaymentSource = Pick<Intent, 'referenceNumber' | 'shortCode' | 'metadata'>
export type OrderSource = Pick<Order, '_id' | 'number' | 'items' | 'total' | 'customer' | 'createdAt'>
