import type { Model } from 'mongoose'
import type { Jobs, NamedJob } from '../../schemas/jobs.ts'
import { countStored } from '../businesses/quotas.ts'
import { logEvents } from '../events/log.ts'
import { expiryJob } from '../intents/expire.ts'
import { bookEvents } from '../ledger/book.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { bytesOf, nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import type { Caused, OutboxEvent } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { Span } from '../tracing/tracing.ts'
import { type AttemptDeps, beginAttempt } from '../webhooks/attempts/attempt.ts'
import { settleAll } from '../webhooks/attempts/attempt-due.ts'
import { type LeasedDelivery, slotOwner } from '../webhooks/attempts/batchers.ts'
import { deliveryJob } from '../webhooks/deliveries/delivery-job.ts'
import {
  causeOf,
  newDelivery,
  type Source,
  type TargetEndpoint,
} from '../webhooks/deliveries/new-delivery.ts'
import { accepts } from '../webhooks/endpoints/endpoint.ts'
import { maxEventsPerRead } from './relay-batchers.ts'

type RelayDeps = AttemptDeps & Pick<Deps, 'capacity' | 'relaying'>

type ToRelay = Partial<Jobs['outbox-relay'] & { endpointIds: string[] }>

type Kind = 'Intent' | 'Order' | 'Endpoint'

interface Relayed {
  events: number
  deliveries: number
  /** These deliveries wait for a slot. */
  waiting: number
  /** One per event. */
  causes: Caused[]
}

/** With 100 concurrent jobs, the events of at most 5 000 documents are in memory. */
const maxPerJob = 50
/** A job can do nothing else while it waits for capacity, so after this the document is left to the next poll. */
const maxWaitMs = 100

/**
 * Relays the events of intents, orders and endpoints: inserts a delivery per event and subscribed endpoint, starts the
 * attempts for which there are slots, appends the events to the event log, books payments and refunds, and LAST removes
 * the events from the outbox.
 *
 * You can run it again after a crash: a delivery's id is made of the ids of its event and endpoint, so it's inserted
 * only once, and only the relay that inserted it starts its attempt. Events beyond the capacity stay in the outbox for
 * the next poll. If a document fails, the others are still relayed before the first error is thrown.
 */
export async function relayOutboxes(deps: RelayDeps, toRelay: ToRelay): Promise<Relayed> {
  const { intentIds = [], orderIds = [], endpointIds = [] } = toRelay
  const relayed: Relayed = { events: 0, deliveries: 0, waiting: 0, causes: [] }
  const faults: unknown[] = []
  const kinds = new Map<string, Kind>([
    ...intentIds.map((id) => [id, 'Intent'] as const),
    ...orderIds.map((id) => [id, 'Order'] as const),
    ...endpointIds.map((id) => [id, 'Endpoint'] as const),
  ])
  await relayOnce(deps, [...kinds.keys()], async (ids) => {
    for (let at = 0; at < ids.length; at += maxPerJob) {
      const some = ids.slice(at, at + maxPerJob)
      const done = await Promise.allSettled(
        some.map((id) => relayDocument(deps, relayed, kinds.get(id) ?? 'Intent', id)),
      )
      for (const result of done) if (result.status === 'rejected') faults.push(result.reason)
    }
  })
  if (faults.length > 0) throw faults[0]
  return relayed
}

/** Skips documents that are being relayed; the call that is relaying them then runs `act` again for those. */
async function relayOnce(
  { relaying }: Pick<Deps, 'relaying'>,
  ids: string[],
  act: (ids: string[]) => Promise<void>,
): Promise<void> {
  let own: string[] = []
  for (const id of new Set(ids))
    if (relaying.has(id)) relaying.set(id, 'again')
    else {
      relaying.set(id, 'once')
      own.push(id)
    }
  while (own.length > 0) {
    let again: string[] = []
    try {
      await act(own)
      again = own.filter((id) => relaying.get(id) === 'again')
    } finally {
      for (const id of own) relaying.delete(id)
    }
    for (const id of again) relaying.set(id, 'once')
    own = again
  }
}

/**
 * Relays the first events of a document, or does nothing if there's no capacity. If there may be more events, the
 * document is relayed again after the others of this job. Also schedules the expiry of a new intent, so that the create
 * request doesn't have to.
 */
async function relayDocument(deps: RelayDeps, relayed: Relayed, kind: Kind, id: string): Promise<void> {
  const source = await deps.batchers[`find${kind}Outbox`](id, noDeadline)
  if (source === null) return
  const { businessId, referenceNumber, expiresAt, outbox } = source
  const endpoints = await deps.batchers.findActiveEndpoints(businessId, noDeadline)
  const held = await deps.capacity.take([businessId], { relays: 1 }, maxWaitMs)
  if (held === null) return
  try {
    await relayDeliveries(deps, relayed, source, endpoints)
  } finally {
    held.free()
  }
  await Promise.all([
    logEvents(deps, source, outbox, noDeadline),
    bookEvents(deps, source, outbox, noDeadline),
  ])
  const empty = deps.batchers[`empty${kind}Outbox`]
  await empty({ _id: id, events: outbox.map((event) => event.id) }, noDeadline)
  if (expiresAt && outbox.some(({ event }) => event === 'payment.created'))
    deps.enqueue('intent-expiry', [expiryJob({ referenceNumber, expiresAt }, deps.now())])
  relayed.events += outbox.length
  relayed.causes.push(...outbox.map(causeOf))
  if (outbox.length === maxEventsPerRead) deps.relaying.set(id, 'again')
}

/**
 * A later insert is given up, and the next poll repeats it. Otherwise `createdAt` could be minutes before the insert.
 */
const maxUnsentMs = 60_000

/**
 * Inserts a delivery per event and subscribed endpoint, except to the endpoint that the event is about, and starts the
 * attempts for which there are slots. If an insert fails, the others still happen before the first error is thrown.
 */
const relayDeliveries = (
  deps: AttemptDeps,
  counts: Relayed,
  stored: Source,
  endpoints: readonly TargetEndpoint[],
) =>
  tracedRelay(deps, stored, async (source) => {
    const targets = endpoints.filter((endpoint) => accepts(endpoint, source))
    const leaseToken = newId()
    const inserted = await Promise.allSettled(
      source.outbox.flatMap((event) =>
        targets
          .filter(({ _id, events }) => events.includes(event.event) && _id !== source._id)
          .map((endpoint) => relayTo(deps, source, event, endpoint, leaseToken)),
      ),
    )
    const waiting = inserted.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []))
    // This process starts the attempts as slots become free, unless it runs no attempts at all.
    if (waiting.length > 0 && !deps.slots.isOpen()) deps.enqueue('webhook-delivery', waiting)
    counts.deliveries += inserted.length
    counts.waiting += waiting.length
    const failed = inserted.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  })

/**
 * Inserts a delivery and starts its attempt, or returns a wake-up job if there's no slot. Leaves an existing delivery
 * to the relay that inserted it.
 */
async function relayTo(
  deps: AttemptDeps,
  source: Source,
  event: OutboxEvent,
  endpoint: TargetEndpoint,
  leaseToken: string,
): Promise<NamedJob<'webhook-delivery'> | null> {
  const slot = await deps.slots.take(slotOwner(endpoint))
  let hasBegun = false
  try {
    const delivery = newDelivery(source, event, endpoint, deps.now(), slot && leaseToken)
    const isInserted = (await deps.batchers.insertDelivery(delivery, performance.now() + maxUnsentMs))
      .inserted
    if (isInserted && slot !== null) {
      beginAttempt(deps, delivery as LeasedDelivery, slot, source.bodySource)
      hasBegun = true
    }
    if (isInserted) countStored(deps, delivery, { others: 1, bytes: bytesOf(delivery) })
    return slot === null ? deliveryJob(delivery, deps.now()) : null
  } finally {
    if (!hasBegun) slot?.free(null)
  }
}

/** Each traced event gets a span, the parent of the spans of its delivery attempts. */
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

/** The poll skips younger events: their wake-up jobs may still arrive. */
const graceMs = 1_500
const maxPerBusiness = 1_000

type Unrelayed = Pick<Source, '_id' | 'businessId'>

/**
 * Relays what is found in outboxes, oldest first and with a limit per business. Returns how many documents it found.
 * Reads only index keys, since a document can have 500 KB.
 */
export async function pollOutboxes(
  deps: RelayDeps & Pick<Deps, 'Intent' | 'Order' | 'Endpoint'>,
  perBusiness = maxPerBusiness,
): Promise<number> {
  const latest = new Date(deps.now().getTime() - graceMs)
  const relayAll = <Doc extends { _id: string }>(model: Model<Doc>, toRelay: (ids: string[]) => ToRelay) =>
    inFairBatches<Unrelayed>(
      perBusiness,
      (_, exceptBusinessIds) =>
        nativeCollection(model).find<Unrelayed>(
          { 'outbox.createdAt': { $lte: latest }, businessId: { $nin: [...exceptBusinessIds] } } as object,
          { projection: { businessId: 1 }, hint: 'withOutbox', sort: { 'outbox.createdAt': 1 } },
        ),
      async (found) => void (await relayOutboxes(deps, toRelay(found.map(({ _id }) => _id)))),
    )
  const found = await settleAll([
    relayAll(deps.Intent, (intentIds) => ({ intentIds })),
    relayAll(deps.Order, (orderIds) => ({ orderIds })),
    relayAll(deps.Endpoint, (endpointIds) => ({ endpointIds })),
  ])
  return found.reduce((sum, each) => sum + each, 0)
}
