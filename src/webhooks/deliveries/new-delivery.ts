import type { BodySource } from '../body/compose.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Caused, OutboxEvent } from '../event.ts'
import type { Delivery } from './delivery.ts'
import { deliveryId } from './delivery-id.ts'
import { leaseEnd } from './lease.ts'

/** A document with events in its outbox, as the relay reads it: also the source of their bodies. `referenceNumber`: as its merchant knows it. */
export type Source = BodySource & {
  _id: string
  businessId: string
  sandbox: boolean
  referenceNumber: string
  outbox: OutboxEvent[]
}
/** An endpoint that may want them. */
export type Receiver = Pick<Endpoint, '_id' | 'businessId' | 'url' | 'events' | 'health'>

/** The delivery of an event to an endpoint. `leaseToken`: of the process that attempts it at once; null if it waits for a worker. */
export function newDelivery(
  source: Source,
  event: OutboxEvent,
  receiver: Receiver,
  now: Date,
  leaseToken: string | null,
): Delivery {
  return {
    _id: deliveryId(event.id, receiver._id),
    endpointId: receiver._id,
    businessId: source.businessId,
    sandbox: source.sandbox,
    event: event.event,
    eventAt: event.createdAt,
    format: event.format,
    facts: event.facts,
    referenceNumber: source.referenceNumber,
    url: receiver.url,
    status: 'PENDING',
    attempts: 0,
    redrives: 0,
    nextAttemptAt: leaseToken === null ? now : leaseEnd(now),
    leaseToken,
    attemptLog: [],
    createdAt: now,
    deliveredAt: null,
    deadAt: null,
    effects: [],
    unaudited: [],
    ...causeOf(event),
  }
}

/** Not a field more than there is: a field that is undefined would be null in MongoDB. */
export const causeOf = ({ requestId, traceparent }: OutboxEvent): Caused => ({
  ...(requestId === undefined ? {} : { requestId }),
  ...(traceparent === undefined ? {} : { traceparent }),
})
