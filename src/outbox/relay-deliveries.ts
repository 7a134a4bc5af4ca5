import { countStored } from '../businesses/quotas.ts'
import type { Deps } from '../deps.ts'
import { bytesOf } from '../mongo/bytes-of.ts'
import type { NamedJob } from '../queues/jobs.ts'
import { newId } from '../security/ids.ts'
import type { Span } from '../tracing/tracing.ts'
import { beginAttempt } from '../webhooks/attempts/attempt.ts'
import type { ClaimedDelivery } from '../webhooks/attempts/claim.ts'
import { slotOwner } from '../webhooks/attempts/find-endpoint.ts'
import { deliveryJob } from '../webhooks/deliveries/delivery-job.ts'
import { newDelivery, type Source, type TargetEndpoint } from '../webhooks/deliveries/new-delivery.ts'
import { accepts } from '../webhooks/endpoints/endpoint.ts'
import type { OutboxEvent } from './event.ts'

/**
 * If the insert of a delivery has not been sent within this time, the insert fails and the next poll relays the event
 * again. This limit prevents a delivery from being stored minutes after its `createdAt`.
 */
const maxUnsentMs = 60_000

/** The numbers of deliveries that a relay has inserted, and of those that are waiting for an attempt slot. */
export interface DeliveryCounts {
  deliveries: number
  waiting: number
}

/**
 * Inserts one delivery per event and endpoint that gets it, and starts the attempts for which slots are free. An event
 * about an endpoint is not sent to that endpoint. If an insert fails, the remaining deliveries are still inserted
 * before the first error is thrown.
 */
export const relayDeliveries = (
  deps: Deps,
  counts: DeliveryCounts,
  stored: Source,
  endpoints: readonly TargetEndpoint[],
): Promise<void> =>
  tracedRelay(deps, stored, async (source) => {
    const targets = endpoints.filter((endpoint) => accepts(endpoint, source))
    const leaseToken = newId()
    const inserted = await Promise.allSettled(
      source.outbox.flatMap((event) =>
        targets
          .filter(({ _id, events }) => events.includes(event.event) && _id !== source._id)
          .map((endpoint) => relayTo(deps, { source, event, endpoint, leaseToken })),
      ),
    )
    const waiting = inserted.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []))
    // This process starts the attempts itself as soon as slots are free, unless it does not run attempts at all.
    if (waiting.length > 0 && !deps.slots.isOpen()) deps.enqueue('webhook-delivery', waiting)
    counts.deliveries += inserted.length
    counts.waiting += waiting.length
    const failed = inserted.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  })

interface OneDelivery {
  source: Source
  event: OutboxEvent
  endpoint: TargetEndpoint
  leaseToken: string
}

/**
 * Inserts the delivery of an event to an endpoint, and starts its attempt if a slot is free. If no slot is free,
 * returns a wake-up job. If the delivery already exists, does not start its attempt, because the relay that inserted
 * the delivery does that.
 */
async function relayTo(
  deps: Deps,
  { source, event, endpoint, leaseToken }: OneDelivery,
): Promise<NamedJob<'webhook-delivery'> | null> {
  const slot = await deps.slots.take(slotOwner(endpoint))
  let hasBegun = false
  try {
    const delivery = newDelivery(source, event, endpoint, deps.now(), slot && leaseToken)
    const isInserted = (await deps.batchers.insertDelivery(delivery, performance.now() + maxUnsentMs)).inserted
    if (isInserted && slot !== null) {
      beginAttempt(deps, delivery as ClaimedDelivery, slot, source.bodySource)
      hasBegun = true
    }
    if (isInserted) countStored(deps, delivery, { others: 1, bytes: bytesOf(delivery) })
    return slot === null ? deliveryJob(delivery, deps.now()) : null
  } finally {
    if (!hasBegun) slot?.free(null)
  }
}

/**
 * Calls `relay` with one span for each traced event. The attempts at the event's deliveries are traced under that span.
 */
async function tracedRelay(
  { tracing }: Pick<Deps, 'tracing'>,
  source: Source,
  relay: (source: Source) => Promise<void>,
): Promise<void> {
  if (tracing === null) return relay(source)
  const spans: { span: Span; facts: Record<string, unknown> }[] = []
  const { businessId, sandbox, referenceNumber } = source
  const outbox = source.outbox.map((event) => {
    const { event: webhookEvent, requestId, traceparent } = event
    if (traceparent === undefined) return event
    const span = tracing.begin('outbox-relay', 'part', traceparent)
    spans.push({ span, facts: { businessId, sandbox, referenceNumber, webhookEvent, requestId } })
    return { ...event, traceparent: span.traceparent }
  })
  let failed = true
  try {
    await relay({ ...source, outbox })
    failed = false
  } finally {
    for (const { span, facts } of spans) span.end({ facts, failed })
  }
}
