import { noteEvents } from '../activity/note-events.ts'
import type { Deps } from '../deps.ts'
import { expiryJobs } from '../intents/expire.ts'
import { bookEvents } from '../ledger/book.ts'
import { type Batcher, noDeadline } from '../mongo/batching/batcher.ts'
import { groupBy } from '../polyfills/group-by.ts'
import type { NamedJob } from '../queues/jobs.ts'
import { newId } from '../security/ids.ts'
import { beginAttempt } from '../webhooks/attempts/attempt.ts'
import type { ClaimedDelivery } from '../webhooks/attempts/claim.ts'
import { slotOwner } from '../webhooks/attempts/find-endpoint.ts'
import type { Slot } from '../webhooks/attempts/slots/slot.ts'
import { composeData } from '../webhooks/body/compose.ts'
import { deliveryJob } from '../webhooks/deliveries/delivery-job.ts'
import {
  causeOf,
  newDelivery,
  type Source,
  type TargetEndpoint,
} from '../webhooks/deliveries/new-delivery.ts'
import type { Caused, OutboxEvent } from './event.ts'
import type { IntentSource } from './outbox-batchers.ts'
import { readOutboxes } from './read-outboxes.ts'
import type { RelayedEvents } from './relay-batchers.ts'
import { tracedRelay } from './trace-relay.ts'

/** Documents whose outboxes may contain events. */
export interface ToRelay {
  intentIds: string[]
  orderIds: string[]
}

export interface Relayed {
  events: number
  deliveries: number
  /** The number of deliveries that are waiting for an attempt slot. */
  waiting: number
  /** The cause of each relayed event. */
  causes: Caused[]
}

/**
 * The maximum number of documents that a process relays in parallel. A single business gets at most half of these
 * slots. With a higher limit, more deliveries would merely be waiting for attempt slots.
 */
export const relaySlots = 400
/**
 * If a document has to wait longer than this for one of the `relaySlots`, it is left for the next poll, because its job
 * cannot do anything else in the meantime.
 */
const slotWaitMs = 100

/**
 * If the insert of a delivery has not been sent within this time, the insert fails and the next poll relays the event
 * again. This limit prevents a delivery from being stored minutes after its `createdAt`.
 */
const maxUnsentMs = 60_000

/**
 * Relays the events of intents and orders. For each event, inserts one delivery per subscribed endpoint, starts the
 * attempts for which slots are free, notes the event for the figures on the staff pages, books payments and refunds in
 * the ledger, and then removes the event from the outbox. If the process is killed, the relay can safely run again,
 * because a delivery's id is composed of the ids of its event and its endpoint, so a second insert fails. Only the
 * relay that inserted a delivery starts its attempt. Events that exceed the available capacity stay in the outbox for
 * the next poll. If relaying a document fails, the remaining documents are still processed before the first error is
 * thrown.
 */
export async function relayOutboxes(deps: Deps, { intentIds, orderIds }: ToRelay): Promise<Relayed> {
  const relayed: Relayed = { events: 0, deliveries: 0, waiting: 0, causes: [] }
  const faults: unknown[] = []
  const addFault = (error: unknown): void => void faults.push(error)
  await relayOnce(deps, [...intentIds, ...orderIds], async (ids) => {
    const own = {
      intentIds: intentIds.filter((id) => ids.delete(id)),
      orderIds: orderIds.filter((id) => ids.delete(id)),
    }
    for await (const { intents, orders } of readOutboxes(deps, own))
      await relaySome(deps, relayed, intents, orders).catch(addFault)
  })
  if (faults.length > 0) throw faults[0]
  return relayed
}

/**
 * Calls `act` with those of the `ids` that this process is not already relaying. If another caller passes some of these
 * ids while `act` is running, calls `act` again with them.
 */
async function relayOnce(
  { relaying }: Pick<Deps, 'relaying'>,
  ids: string[],
  act: (ids: Set<string>) => Promise<void>,
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
      await act(new Set(own))
      again = own.filter((id) => relaying.get(id) === 'again')
    } finally {
      for (const id of own) relaying.delete(id)
    }
    for (const id of again) relaying.set(id, 'once')
    own = again
  }
}

async function relaySome(
  deps: Deps,
  relayed: Relayed,
  intents: IntentSource[],
  orders: Source[],
): Promise<void> {
  const endpoints = await findEndpoints(deps, [...intents, ...orders])
  const insert = async (source: Source, empty: Batcher<RelayedEvents, void>): Promise<void> => {
    const { businessId, outbox } = source
    const free = await deps.relaySlots.take(businessId, slotWaitMs)
    if (free === null) return
    try {
      await relaySource(deps, relayed, source, endpoints.get(businessId) ?? [])
    } finally {
      free()
    }
    await Promise.all([noteEvents(deps, source), bookEvents(deps, source, outbox, noDeadline)])
    await empty({ _id: source._id, events: outbox.map(({ id }) => id) }, noDeadline)
    relayed.events += outbox.length
    relayed.causes.push(...outbox.map(causeOf))
  }
  const done = await Promise.allSettled([
    ...intents.map((intent) => insert(intent, deps.batchers.emptyIntentOutbox)),
    ...orders.map((order) => insert(order, deps.batchers.emptyOrderOutbox)),
  ])
  scheduleExpiries(deps, intents)
  const failed = done.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

const relaySource = (
  deps: Deps,
  relayed: Relayed,
  stored: Source,
  endpoints: readonly TargetEndpoint[],
): Promise<void> =>
  tracedRelay(deps, stored, async (source) => {
    const leaseToken = newId()
    const inserted = await Promise.allSettled(
      source.outbox.flatMap((event) => {
        const compose = composeOnce(source, event)
        return endpoints
          .filter(({ events }) => events.includes(event.event))
          .map((endpoint) => relayTo(deps, { source, event, endpoint, leaseToken, compose }))
      }),
    )
    const waiting = inserted.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []))
    if (waiting.length > 0) deps.enqueue('webhook-delivery', waiting)
    relayed.deliveries += inserted.length
    relayed.waiting += waiting.length
    const failed = inserted.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  })

/**
 * Returns a function that composes an event's `data` the first time it is called. This avoids needless work, because
 * only deliveries with a slot need `data`, and an outbox may contain 2 000 events.
 */
function composeOnce(source: Source, event: OutboxEvent): () => string {
  let composed: string | null = null
  return () => {
    composed ??= composeData(event, source)
    return composed
  }
}

interface OneDelivery {
  source: Source
  event: OutboxEvent
  endpoint: TargetEndpoint
  leaseToken: string
  compose: () => string
}

/**
 * Inserts the delivery of an event to an endpoint, and starts its attempt if a slot is free. If no slot is free,
 * returns a wake-up job. If the delivery already exists, does not start its attempt, because the relay that inserted
 * the delivery does that.
 */
async function relayTo(
  deps: Deps,
  { source, event, endpoint, leaseToken, compose }: OneDelivery,
): Promise<NamedJob<'webhook-delivery'> | null> {
  const slot = await takeSlot(deps, endpoint, compose)
  const delivery = newDelivery(source, event, endpoint, deps.now(), slot && leaseToken)
  const deadline = performance.now() + maxUnsentMs
  let isInserted = false
  try {
    isInserted = (await deps.batchers.insertDelivery(delivery, deadline)).inserted
  } finally {
    if (!isInserted) slot?.free(null)
  }
  if (slot === null) {
    // The job can be delayed, because this process starts the attempt as soon as a slot is free, and the polls of other
    // processes find the delivery. If this process does not run attempts at all, the job has no delay, so that it wakes
    // another process immediately.
    const delayMs = deps.slots.isOpen() ? deps.slots.backOff(slotOwner(endpoint)) : 0
    return { ...deliveryJob(delivery, deps.now()), delayMs }
  }
  if (isInserted) beginAttempt(deps, delivery as ClaimedDelivery, slot, compose())
  return null
}

async function takeSlot(
  { slots }: Pick<Deps, 'slots'>,
  endpoint: TargetEndpoint,
  compose: () => string,
): Promise<Slot | null> {
  const owner = slotOwner(endpoint)
  const slot = await slots.take(owner)
  if (slot === null) return null
  let isCounted = false
  try {
    isCounted = slot.count(compose())
  } finally {
    if (!isCounted) slot.free(null)
  }
  if (isCounted) return slot
  slots.setWaiting(owner)
  return null
}

/** Returns the active endpoints by business id, for all businesses in `sources`. */
async function findEndpoints(deps: Deps, sources: Source[]): Promise<Map<string, TargetEndpoint[]>> {
  const businessIds = [...groupBy(sources, ({ businessId }) => businessId).keys()]
  const found = await Promise.all(businessIds.map((id) => deps.batchers.findActiveEndpoints(id, noDeadline)))
  return new Map(businessIds.map((id, index) => [id, found[index] ?? []]))
}

/**
 * Schedules the expiry of new intents. The relay does this so that the request that creates an intent does not have to.
 */
function scheduleExpiries(deps: Deps, intents: IntentSource[]): void {
  const created = intents.filter((intent) => intent.outbox.some((event) => event.event === 'payment.created'))
  if (created.length > 0) deps.enqueue('intent-expiry', expiryJobs(created, deps.now()))
}
