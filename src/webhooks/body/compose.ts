import type { Intent } from '../../intents/intent.ts'
import type { Order } from '../../store/orders/order.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import type { Recorded } from './facts.ts'
import { orderData, paymentData } from './format-1.ts'

/** The fields of an intent or an order that a body shows and that never change. The rest of its `data` is in the event (facts.ts). */
export type BodySource = PaymentSource | OrderSource
export type PaymentSource = Pick<Intent, 'referenceNumber' | 'shortCode' | 'metadata'>
export type OrderSource = Pick<Order, '_id' | 'number' | 'items' | 'total' | 'customer' | 'createdAt'>

/** What a body says beside its `data`. */
export type BodyHead = Pick<Delivery, '_id' | 'event' | 'eventAt' | 'sandbox'>

/** How each format writes `data`: never changed, because a delivery must have the same bytes at every attempt. */
const formats: Record<number, { payment: typeof paymentData; order: typeof orderData }> = {
  1: { payment: paymentData, order: orderData },
}

/**
 * The `data` of an event (SPEC 6.2), as JSON: the same in all of its deliveries. Throws for a format of a later version; a worker of that
 * version takes the delivery over.
 */
export function composeData({ format, facts }: Recorded, source: BodySource): string {
  const write = formats[format]
  if (write === undefined) throw new Error(`this version cannot write webhooks of format ${format}`)
  return 'items' in source ? write.order(source, facts) : write.payment(source, facts)
}

/** The exact bytes that are signed and sent to one endpoint (SPEC 6.2). `data`: from `composeData`. */
export function composeBody({ _id: id, event, eventAt, sandbox }: BodyHead, data: string): string {
  const head = JSON.stringify({ id, event, created_at: eventAt, sandbox })
  return `${head.slice(0, -1)},"data":${data}}`
}

/** The body of one delivery, where `data` is not composed already. */
export const bodyOf = (delivery: BodyHead & Recorded, source: BodySource): string =>
  composeBody(delivery, composeData(delivery, source))
