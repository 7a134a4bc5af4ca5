import type { Caused, OutboxEvent } from '../../outbox/event.ts'
import type { BodySource } from '../body.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Delivery } from './delivery.ts'
import { deliveryId } from './delivery-job.ts'
import { leaseEnd } from './lease.ts'

/**
 * An intent, order or endpoint as the relay reads it, with its oldest unrelayed events. The `referenceNumber` of an
 * order is its number, and that of an endpoint is its id.
 */
export interface Source {
  _id: string
  businessId: string
  sandbox: boolean
  referenceNumber: string
  outbox: OutboxEvent[]
  /** The fields that the webhook bodies need, or undefined if the document is too large to read them here. */
  bodySource?: BodySource
  /** Only intents have these two fields. */
  merchantReference?: string | null
  expiresAt?: Date
}
/**
 * An endpoint to which an event may be sent. The endpoint belongs to the same business, but it need not be subscribed
 * to the event.
 */
export type TargetEndpoint = Pick<Endpoint, '_id' | 'businessId' | 'sandbox' | 'url' | 'events' | 'health'>

/**
 * Returns the delivery of an event to an endpoint. `leaseToken` is the token of the lease if this process attempts the
 * delivery immediately, or null if the delivery must wait for a slot.
 */
export function newDelivery(
  source: Pick<Source, 'businessId' | 'sandbox' | 'referenceNumber'>,
  event: OutboxEvent,
  endpoint: Pick<TargetEndpoint, '_id' | 'url'>,
  now: Date,
  leaseToken: string | null,
): Delivery {
  const { businessId, sandbox, referenceNumber } = source
  return {
    _id: deliveryId(event.id, endpoint._id),
    endpointId: endpoint._id,
    businessId,
    sandbox,
    // Only these fields, because an event of the log has further ones.
    event: event.event,
    eventAt: event.createdAt,
    format: event.format,
    facts: event.facts,
    referenceNumber,
    url: endpoint.url,
    status: 'PENDING',
    attempts: 0,
    requeues: 0,
    nextAttemptAt: leaseToken === null ? now : leaseEnd(now),
    leaseToken,
    attemptLog: [],
    createdAt: now,
    deliveredAt: null,
    deadAt: null,
    ...causeOf(event),
  }
}

/** Returns the cause of an event. Omits missing fields, because MongoDB would store undefined as null. */
export const causeOf = ({ requestId, traceparent }: OutboxEvent): Caused => ({
  ...(requestId === undefined ? {} : { requestId }),
  ...(traceparent === undefined ? {} : { traceparent }),
})
