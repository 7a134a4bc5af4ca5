import type { Model } from 'mongoose'
import type { JobWithId } from '../../schemas/jobs.ts'
import { countStorage } from '../businesses/quotas.ts'
import { appendToEventLog } from '../events/log.ts'
import { newExpiryJob } from '../intents/expire.ts'
import { paymentEventFields } from '../intents/present.ts'
import { bookEvents } from '../ledger/book.ts'
import { backgroundRestMs, createBatcher, createReadBatcher, noDeadline } from '../mongo/batchers.ts'
import { measureBson, rawCollection } from '../mongo/collection.ts'
import { type Transactions, writeIfUnlocked } from '../mongo/transaction.ts'
import type { EventCause, OutboxEvent } from '../outbox/event.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { orderEventFields } from '../store/orders/order.ts'
import type { TraceSpan } from '../tracing/tracing.ts'
import { type AttemptDeps, beginAttempt } from '../webhooks/attempts/attempt.ts'
import { slotOwnerOf } from '../webhooks/attempts/slots.ts'
import { type Delivery, eventCauseOf, newDelivery, newDeliveryJob } from '../webhooks/deliveries/delivery.ts'
import type { LeasedDelivery } from '../webhooks/deliveries/lease.ts'
import { acceptsEvent, type Endpoint, undeletedFilter } from '../webhooks/endpoints/endpoint.ts'
import type { BodySource } from '../webhooks/message.ts'

export type RelayDeps = AttemptDeps & Pick<Deps, 'capacity' | 'relaying'>

export const outboxModelNames = { intentIds: 'Intent', orderIds: 'Order', endpointIds: 'Endpoint' } as const
export const outboxIdLists = Object.keys(outboxModelNames) as (keyof typeof outboxModelNames)[]

interface Relayed {
  events: number
  deliveries: number
  waiting: number
  causes: EventCause[]
}

/** 100 concurrent jobs hold the events of up to 5,000 documents in memory. */
const maxPerJob = 50
/** A document that waits any longer is left to the next poll. */
const maxWaitMs = 100

/**
 * Inserts the deliveries, starts the attempts that get a slot, logs and books
 * the events, and only then removes them from the outbox. After a crash, it can
 * run again: only the relay that inserts a delivery starts its attempt.
 */
export async function relayOutboxes(
  deps: RelayDeps,
  toRelay: Partial<Record<keyof typeof outboxModelNames, string[]>>,
): Promise<Relayed> {
  const relayed: Relayed = { events: 0, deliveries: 0, waiting: 0, causes: [] }
  const errors: unknown[] = []
  const kinds = new Map(
    outboxIdLists.flatMap((list) => (toRelay[list] ?? []).map((id) => [id, outboxModelNames[list]] as const)),
  )
  await relayOnce(deps, [...kinds.keys()], async (ids) => {
    for (let at = 0; at < ids.length; at += maxPerJob) {
      const some = ids.slice(at, at + maxPerJob)
      const done = await Promise.allSettled(
        some.map((id) => relayDocument(deps, relayed, kinds.get(id) ?? 'Intent', id)),
      )
      for (const result of done) if (result.status === 'rejected') errors.push(result.reason)
    }
  })
  if (errors.length > 0) throw errors[0]
  return relayed
}

/** If a concurrent call is relaying an id, that call reruns `act` for it. */
async function relayOnce({ relaying }: RelayDeps, ids: string[], act: (ids: string[]) => Promise<void>) {
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

type OutboxModel = (typeof outboxModelNames)[keyof typeof outboxModelNames]

async function relayDocument(deps: RelayDeps, relayed: Relayed, kind: OutboxModel, id: string) {
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
    appendToEventLog(deps, source, outbox, noDeadline),
    bookEvents(deps, source, outbox, noDeadline),
  ])
  const empty = deps.batchers[`empty${kind}Outbox`]
  await empty({ _id: id, events: outbox.map((event) => event.id) }, noDeadline)
  // The relay does this so that the create request doesn't have to wait.
  if (expiresAt && outbox.some(({ event }) => event === 'payment.created'))
    deps.enqueue('intent-expiry', [newExpiryJob({ referenceNumber, expiresAt }, deps.now())])
  relayed.events += outbox.length
  relayed.causes.push(...outbox.map(eventCauseOf))
  // Any further events are relayed after the job's other documents.
  if (outbox.length === maxEventsPerRead) deps.relaying.set(id, 'again')
}

/** A later insert would have a `createdAt` that is minutes too early. */
const maxUnsentMs = 60_000

/** An endpoint never gets events about itself. */
async function relayDeliveries(
  deps: AttemptDeps,
  counts: Relayed,
  stored: Source,
  endpoints: readonly TargetEndpoint[],
): Promise<void> {
  const { source, endSpans } = traceEvents(deps, stored)
  const targets = endpoints.filter(
    (endpoint) => acceptsEvent(endpoint, source) && endpoint._id !== source._id,
  )
  const leaseToken = newId()
  const results = await Promise.allSettled(
    source.outbox.flatMap((event) =>
      targets
        .filter(({ events }) => events.includes(event.event))
        .map((endpoint) => relayTo(deps, source, event, endpoint, leaseToken)),
    ),
  )
  const inserted = results.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []))
  const waiting = inserted.filter((job) => job !== 'begun')
  // This process starts them later, unless it runs no attempts at all.
  if (waiting.length > 0 && !deps.slots.isOpen()) deps.enqueue('webhook-delivery', waiting)
  counts.deliveries += inserted.length
  counts.waiting += waiting.length
  const failed = results.find((result) => result.status === 'rejected')
  endSpans(failed !== undefined)
  if (failed !== undefined) throw failed.reason
}

/** Returns null if another relay inserted the delivery. */
async function relayTo(
  deps: AttemptDeps,
  source: Source,
  event: OutboxEvent,
  endpoint: TargetEndpoint,
  leaseToken: string,
): Promise<JobWithId<'webhook-delivery'> | 'begun' | null> {
  const slot = await deps.slots.take(slotOwnerOf(endpoint))
  let hasBegun = false
  try {
    const delivery = newDelivery(source, event, endpoint, deps.now(), slot && leaseToken)
    const { inserted } = await deps.batchers.insertDelivery(delivery, performance.now() + maxUnsentMs)
    if (!inserted) return null
    countStorage(deps, delivery, { others: 1, bytes: measureBson(delivery) })
    if (slot === null) return newDeliveryJob(delivery, deps.now())
    beginAttempt(deps, delivery as LeasedDelivery, slot, source.bodySource)
    hasBegun = true
    return 'begun'
  } finally {
    if (!hasBegun) slot?.free(null)
  }
}

function traceEvents({ tracing }: Pick<Deps, 'tracing'>, source: Source) {
  const { businessId, sandbox, referenceNumber } = source
  const spans: { span: TraceSpan; facts: Record<string, unknown> }[] = []
  const outbox = source.outbox.map((event) => {
    const { event: webhookEvent, requestId, traceparent } = event
    if (tracing === null || traceparent === undefined) return event
    const span = tracing.begin('outbox-relay', 'part', traceparent)
    spans.push({ span, facts: { businessId, sandbox, referenceNumber, webhookEvent, requestId } })
    return { ...event, traceparent: span.traceparent }
  })
  const endSpans = (failed: boolean): void => {
    for (const { span, facts } of spans) span.end({ facts, failed })
  }
  return { source: { ...source, outbox }, endSpans }
}

/** Limits memory: an event takes up to 1.4 KB. */
const maxEventsPerRead = 10
/** Attempts read larger documents themselves. A typical intent takes 2 KiB. */
const smallBytes = 8 * 1024

/** An endpoint's `referenceNumber` is its id. */
interface Source extends Pick<Delivery, '_id' | 'businessId' | 'sandbox' | 'referenceNumber'> {
  outbox: OutboxEvent[]
  /** Missing if the document is large. */
  bodySource?: BodySource
  /** Only intents have this field and the next one. */
  merchantReference?: string | null
  expiresAt?: Date
}

type TargetEndpoint = Pick<Endpoint, '_id' | 'businessId' | 'sandbox' | 'url' | 'events' | 'health'>

type RelayedEvents = { _id: string; events: string[] }

/** Reads are batched, because most jobs are for a single intent. */
export const openRelayBatchers = (deps: Models & { transactions: Transactions }) => ({
  findIntentOutbox: createOutboxBatcher(deps.Intent, {
    referenceNumber: 1,
    merchantReference: 1,
    expiresAt: 1,
    bodySource: ifSmall(paymentEventFields),
  }),
  findOrderOutbox: createOutboxBatcher(deps.Order, {
    referenceNumber: '$number',
    bodySource: ifSmall({ _id: 1, ...orderEventFields }),
  }),
  findEndpointOutbox: createOutboxBatcher(deps.Endpoint, {
    referenceNumber: '$_id',
    bodySource: { endpointId: '$_id' },
  }),
  findActiveEndpoints: createBatcher<string, TargetEndpoint[]>(500, async (businessIds) => {
    const found = await rawCollection(deps.Endpoint)
      .find<TargetEndpoint>(
        { businessId: { $in: [...new Set(businessIds)] }, ...undeletedFilter, active: true },
        { projection: { businessId: 1, sandbox: 1, url: 1, events: 1, health: 1 }, hint: 'slotInUse' },
      )
      .toArray()
    const byBusiness = Map.groupBy(found, ({ businessId }) => businessId)
    return businessIds.map((id) => byBusiness.get(id) ?? [])
  }),
  emptyIntentOutbox: createEmptyingBatcher(deps.Intent),
  emptyOrderOutbox: createEmptyingBatcher(deps.Order),
  /** An endpoint locked by a transaction would delay a whole batch. */
  async emptyEndpointOutbox({ _id, events }: RelayedEvents) {
    const pull = { $pull: { outbox: { id: { $in: events } } } }
    const endpoints = rawCollection(deps.Endpoint)
    await writeIfUnlocked(deps, (session) => endpoints.updateOne({ _id }, pull, { session }))
  },
})

const ifSmall = (fields: object) => {
  const paths = Object.fromEntries(Object.keys(fields).map((field) => [field, `$${field}`]))
  return { $cond: [{ $lte: [{ $bsonSize: '$$ROOT' }, smallBytes] }, paths, '$$REMOVE'] }
}

const createOutboxBatcher = <Doc extends { _id: string }>(model: Model<Doc>, fields: object) =>
  createReadBatcher<Source>(
    (ids) =>
      rawCollection(model)
        .find<Source>({ _id: { $in: ids }, 'outbox.0': { $exists: true } } as object, {
          projection: { businessId: 1, sandbox: 1, ...fields, outbox: { $slice: maxEventsPerRead } },
        })
        .toArray(),
    ({ _id }) => [_id],
  )

/** Event ids are unique, so each outbox loses only its own events. */
const createEmptyingBatcher = <Doc extends { _id: string }>(model: Model<Doc>) =>
  createBatcher<RelayedEvents, void>(
    500,
    async (relayed) => {
      const events = relayed.flatMap((each) => each.events)
      await rawCollection(model).updateMany(
        { _id: { $in: relayed.map(({ _id }) => _id) } } as object,
        { $pull: { outbox: { id: { $in: events } } } } as object,
      )
      return relayed.map(() => undefined)
    },
    backgroundRestMs,
  )
