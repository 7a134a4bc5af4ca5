import type { Deps } from '../deps.ts'
import { expiryJobs } from '../intents/expire.ts'
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
import { causeOf, newDelivery, type Receiver, type Source } from '../webhooks/deliveries/new-delivery.ts'
import type { Caused, OutboxEvent } from './event.ts'
import type { IntentSource } from './outbox-batchers.ts'
import { readOutboxes } from './read-outboxes.ts'
import type { Told } from './relay-batchers.ts'
import { tracedRelay } from './trace-relay.ts'

/** Documents whose outboxes may hold events. */
export interface ToRelay {
  intentIds: string[]
  orderIds: string[]
}

export interface Relayed {
  events: number
  deliveries: number
  /** Deliveries without a slot: their attempts wait. */
  waiting: number
  /** One for each event. */
  causes: Caused[]
}

/** Documents that a process relays at once. One business gets at most half. More would only wait for attempt slots. */
export const relaySlots = 400
/** A document that waits longer for one of the `relaySlots` is left to the next poll, because it blocks its job meanwhile. */
const slotWaitMs = 100

/**
 * An insert that is not sent within this time fails, and the poll relays the event again. So no delivery is stored minutes after its
 * `createdAt`.
 */
const unsentAtMostMs = 60_000

/**
 * Relays the events of intents and orders. Inserts one delivery per subscribed endpoint, begins the attempts that have a slot, and removes
 * exactly these events from the outbox. Safe to run again after a kill: a delivery's id is made of event and endpoint, so a second insert
 * fails, and only the relay that inserted a delivery attempts it. Events that it has no capacity for stay in their outbox for the next poll.
 * After all documents, throws the first error.
 */
export async function relayOutboxes(deps: Deps, { intentIds, orderIds }: ToRelay): Promise<Relayed> {
  const relayed: Relayed = { events: 0, deliveries: 0, waiting: 0, causes: [] }
  const faults: unknown[] = []
  const note = (error: unknown): void => void faults.push(error)
  await relayOnce(deps, [...intentIds, ...orderIds], async (mine) => {
    const some = {
      intentIds: intentIds.filter((id) => mine.delete(id)),
      orderIds: orderIds.filter((id) => mine.delete(id)),
    }
    for await (const { intents, orders } of readOutboxes(deps, some))
      await relaySome(deps, relayed, intents, orders).catch(note)
  })
  if (faults.length > 0) throw faults[0]
  return relayed
}

/** Calls `act` with the ids that this process is not relaying yet. Repeats it for ids that another caller passed meanwhile. */
async function relayOnce(
  { relaying }: Pick<Deps, 'relaying'>,
  ids: string[],
  act: (ids: Set<string>) => Promise<void>,
): Promise<void> {
  let mine: string[] = []
  for (const id of new Set(ids))
    if (relaying.has(id)) relaying.set(id, 'again')
    else {
      relaying.set(id, 'once')
      mine.push(id)
    }
  while (mine.length > 0) {
    let again: string[] = []
    try {
      await act(new Set(mine))
      again = mine.filter((id) => relaying.get(id) === 'again')
    } finally {
      for (const id of mine) relaying.delete(id)
    }
    for (const id of again) relaying.set(id, 'once')
    mine = again
  }
}

async function relaySome(
  deps: Deps,
  relayed: Relayed,
  intents: IntentSource[],
  orders: Source[],
): Promise<void> {
  const receivers = await receiversOf(deps, [...intents, ...orders])
  const insert = async (source: Source, empty: Batcher<Told, void>): Promise<void> => {
    const { businessId, outbox } = source
    const ours = receivers.get(businessId) ?? []
    const free = await deps.relaySlots.take(businessId, slotWaitMs)
    if (free === null) return
    try {
      await relaySource(deps, relayed, source, ours)
    } finally {
      free()
    }
    await empty({ _id: source._id, events: outbox.map(({ id }) => id) }, noDeadline)
    relayed.events += outbox.length
    relayed.causes.push(...outbox.map(causeOf))
  }
  const done = await Promise.allSettled([
    ...intents.map((intent) => insert(intent, deps.batchers.emptyIntentOutbox)),
    ...orders.map((order) => insert(order, deps.batchers.emptyOrderOutbox)),
  ])
  scheduleExpiries(deps, intents)
  const broken = done.find((one) => one.status === 'rejected')
  if (broken !== undefined) throw broken.reason
}

const relaySource = (
  deps: Deps,
  relayed: Relayed,
  stored: Source,
  receivers: readonly Receiver[],
): Promise<void> =>
  tracedRelay(deps, stored, async (source) => {
    const leaseToken = newId()
    const inserted = await Promise.allSettled(
      source.outbox.flatMap((event) => {
        const compose = composeOnce(source, event)
        return receivers
          .filter(({ events }) => events.includes(event.event))
          .map((receiver) => relayTo(deps, { source, event, receiver, leaseToken, compose }))
      }),
    )
    const waiting = inserted.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))
    if (waiting.length > 0) deps.enqueue('webhook-delivery', waiting)
    relayed.deliveries += inserted.length
    relayed.waiting += waiting.length
    const broken = inserted.find((one) => one.status === 'rejected')
    if (broken !== undefined) throw broken.reason
  })

/** Returns the `data` of an event's bodies. Composes it only when the first endpoint has a slot, because an outbox may have 2 000 events. */
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
  receiver: Receiver
  leaseToken: string
  compose: () => string
}

/**
 * Inserts the delivery of an event to an endpoint and begins its attempt if there is a slot. Otherwise returns a wake-up job. A delivery that
 * already exists belongs to the relay that inserted it.
 */
async function relayTo(
  deps: Deps,
  { source, event, receiver, leaseToken, compose }: OneDelivery,
): Promise<NamedJob<'webhook-delivery'> | null> {
  const slot = await takeSlot(deps, receiver, compose)
  const delivery = newDelivery(source, event, receiver, deps.now(), slot && leaseToken)
  const deadlineAt = performance.now() + unsentAtMostMs
  let isMine = false
  try {
    isMine = (await deps.batchers.insertDelivery(delivery, deadlineAt)).inserted
  } finally {
    if (!isMine) slot?.free(null)
  }
  if (slot === null) {
    // This process attempts it as soon as it has a slot, and others find it by their polls. Without slots of its own, it wakes them at once.
    const delayMs = deps.slots.isOpen() ? deps.slots.backOff(slotOwner(receiver)) : 0
    return { ...deliveryJob(delivery, deps.now()), delayMs }
  }
  if (isMine) beginAttempt(deps, delivery as ClaimedDelivery, slot, compose())
  return null
}

async function takeSlot(
  { slots }: Pick<Deps, 'slots'>,
  receiver: Receiver,
  compose: () => string,
): Promise<Slot | null> {
  const owner = slotOwner(receiver)
  const slot = await slots.take(owner)
  if (slot === null) return null
  let isCounted = false
  try {
    isCounted = slot.count(compose())
  } finally {
    if (!isCounted) slot.free(null)
  }
  if (isCounted) return slot
  slots.wait(owner)
  return null
}

async function receiversOf(deps: Deps, sources: Source[]): Promise<Map<string, Receiver[]>> {
  const businessIds = [...groupBy(sources, ({ businessId }) => businessId).keys()]
  const found = await Promise.all(businessIds.map((id) => deps.batchers.findReceivers(id, noDeadline)))
  return new Map(businessIds.map((id, index) => [id, found[index] ?? []]))
}

/** Enqueues the expiry of new intents here, so that the create request does not have to. */
function scheduleExpiries(deps: Deps, intents: IntentSource[]): void {
  const created = intents.filter((intent) => intent.outbox.some((event) => event.event === 'payment.created'))
  if (created.length > 0) deps.enqueue('intent-expiry', expiryJobs(created, deps.now()))
}
