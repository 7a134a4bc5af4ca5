import { type PaymentSource, paymentFormats } from '../../intents/event-data.ts'
import type { Recorded } from '../../outbox/facts.ts'
import { type OrderSource, orderFormats } from '../../store/orders/event-data.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { type EndpointSource, endpointFormats } from './endpoint-data.ts'

/** The intent, order or endpoint from which a body is composed. */
export type BodySource = PaymentSource | OrderSource | EndpointSource

/** The fields of a body other than `data`. */
export type BodyHead = Pick<Delivery, '_id' | 'event' | 'eventAt' | 'sandbox'>

/**
 * Returns an event's `data` as JSON, which is the same for all deliveries of the event. Throws if the format comes from
 * a later version of the service. A worker that runs the later version will then take over the delivery.
 */
export function composeData({ format, facts }: Recorded, source: BodySource): string {
  if ('endpointId' in source) return known(format, endpointFormats[format])(source, facts)
  return 'items' in source
    ? known(format, orderFormats[format])(source, facts)
    : known(format, paymentFormats[format])(source, facts)
}

function known<Write>(format: number, write: Write | undefined): Write {
  if (write === undefined) throw new Error(`this version cannot write webhooks of format ${format}`)
  return write
}

/** Returns the exact string that is signed and sent to one endpoint (SPEC 6.2). `data` must come from `composeData`. */
export function composeBody({ _id: id, event, eventAt, sandbox }: BodyHead, data: string): string {
  const head = JSON.stringify({ id, event, created_at: eventAt, sandbox })
  return `${head.slice(0, -1)},"data":${data}}`
}

/** Returns the complete body of one delivery. */
export const bodyOf = (delivery: BodyHead & Recorded, source: BodySource): string =>
  composeBody(delivery, composeData(delivery, source))
