import type { Delivery } from '../deliveries/delivery.ts'
import type { Recorded } from './facts.ts'
import { orderData, paymentData } from './format-1.ts'
import type { BodySource } from './source.ts'

/** The fields of a body beside `data`. */
export type BodyHead = Pick<Delivery, '_id' | 'event' | 'eventAt' | 'sandbox'>

/** How each format writes `data`. Never change a format: a delivery must have the same bytes at every attempt. */
const formats: Record<number, { payment: typeof paymentData; order: typeof orderData }> = {
  1: { payment: paymentData, order: orderData },
}

/**
 * The `data` of an event (SPEC 6.2) as JSON, the same for all of its deliveries. Throws for a format of a later version. A worker of that
 * version takes the delivery over.
 */
export function composeData({ format, facts }: Recorded, source: BodySource): string {
  const write = formats[format]
  if (write === undefined) throw new Error(`this version cannot write webhooks of format ${format}`)
  return 'items' in source ? write.order(source, facts) : write.payment(source, facts)
}

/** The exact text that is signed and sent to one endpoint (SPEC 6.2). `data`: from `composeData`. */
export function composeBody({ _id: id, event, eventAt, sandbox }: BodyHead, data: string): string {
  const head = JSON.stringify({ id, event, created_at: eventAt, sandbox })
  return `${head.slice(0, -1)},"data":${data}}`
}

/** The body of one delivery, including its `data`. */
export const bodyOf = (delivery: BodyHead & Recorded, source: BodySource): string =>
  composeBody(delivery, composeData(delivery, source))
