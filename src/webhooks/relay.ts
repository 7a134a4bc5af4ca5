import type { Deps } from '../deps.ts'
import { groupBy } from '../group-by.ts'
import { type Lane, noHurry } from '../group-commit/lane.ts'
import { newId } from '../ids.ts'
import { expiryJob } from '../intents/expire.ts'
import { beginAttempt } from './attempts/attempt.ts'
import type { ClaimedDelivery } from './attempts/claim.ts'
import { slotOwner } from './attempts/find-endpoint.ts'
import type { Slot } from './attempts/slots.ts'
import { composeData } from './body/compose.ts'
import type { Delivery } from './deliveries/delivery.ts'
import { deliveryJob } from './deliveries/delivery-job.ts'
import { causeOf, newDelivery, type Receiver, type Source } from './deliveries/new-delivery.ts'
import type { Caused, OutboxEvent } from './event.ts'
import { type IntentSource, readOutboxes } from './read-outboxes.ts'
import type { Told } from './relay-lanes.ts'
import { tracedRelay } from './trace-relay.ts'

/** Documents whose outboxes may hold events. */
export interface ToRelay {
  intentIds: string[]
  orderIds: string[]
}

export interface Relayed {
  events: number
  deliveries: number
  /** Deliveries that were inserted without a slot. */
  waiting: number
  /** Of each of the events. */
  causes: Caused[]
}

/** A delivery to insert. With a slot, it is inserted with a lease of this process, and attempted at once. */
interface Planned {
  delivery: Delivery
  slot: Slot | null
  /** The `data` of its body, where there is a slot. */
  data: string | null
}

/** A document that waits longer to be inserted comes again, with a new time: no delivery is stored minutes after its `createdAt`. */
const unsentAtMostMs = 60_000

/**
 * Relays the events of intents and orders: inserts one delivery per subscribed endpoint, begins the attempts for which there are slots, and
 * removes exactly these events from the outbox. Killed in between, it runs again: a delivery's id is made of event and endpoint, so a second
 * insert fails, and only the relay that inserted a delivery attempts it. Events for which the business has no budget stay in their outbox for
 * the next poll. Throws the first fault in the end.
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

/** Calls `act` with those ids that this process is not relaying, and again with those that another caller asked for meanwhile. */
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
  const insert = async (source: Source, empty: Lane<Told, void>): Promise<void> => {
    const { businessId, outbox } = source
    const ours = receivers.get(businessId) ?? []
    const free = deps.relayBudget.take(businessId, outbox.length * ours.length)
    if (free === null) return
    try {
      await relaySource(deps, relayed, source, ours)
    } finally {
      free()
    }
    await empty({ _id: source._id, events: outbox.map(({ id }) => id) }, noHurry)
    relayed.events += outbox.length
    relayed.causes.push(...outbox.map(causeOf))
  }
  const done = await Promise.allSettled([
    ...intents.map((intent) => insert(intent, deps.lanes.emptyIntentOutbox)),
    ...orders.map((order) => insert(order, deps.lanes.emptyOrderOutbox)),
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
    const planned = planEvents(deps, source, receivers)
    const until = performance.now() + unsentAtMostMs
    const inserted = await Promise.allSettled(planned.map((one) => insertDelivery(deps, one, until)))
    const waiting = planned.filter(
      ({ slot }, index) => slot === null && inserted[index]?.status === 'fulfilled',
    )
    if (waiting.length > 0)
      deps.nudge(
        'webhook-delivery',
        waiting.map(({ delivery }) => deliveryJob(delivery, deps.now())),
      )
    relayed.deliveries += planned.length
    relayed.waiting += waiting.length
    const broken = inserted.find((one) => one.status === 'rejected')
    if (broken !== undefined) throw broken.reason
  })

/** Plans the deliveries of all events. If one of them cannot be planned, gives the slots of the others back. */
function planEvents(deps: Deps, source: Source, receivers: readonly Receiver[]): Planned[] {
  const planned: Planned[] = []
  const leaseToken = newId()
  try {
    for (const event of source.outbox)
      for (const one of planEvent(deps, source, event, receivers, leaseToken)) planned.push(one)
    return planned
  } catch (error) {
    for (const { slot } of planned) slot?.free(null)
    throw error
  }
}

function* planEvent(
  deps: Deps,
  source: Source,
  event: OutboxEvent,
  receivers: readonly Receiver[],
  leaseToken: string,
): Generator<Planned> {
  const subscribed = receivers.filter(({ events }) => events.includes(event.event))
  if (subscribed.length === 0) return
  const now = deps.now()
  // The same text for all endpoints, composed for the first of them that has a slot: an outbox may have 2 000 events.
  let composed: string | null = null
  const compose = (): string => {
    composed ??= composeData(event, source)
    return composed
  }
  for (const receiver of subscribed) {
    const slot = takeSlot(deps, receiver, compose)
    const delivery = newDelivery(source, event, receiver, now, slot && leaseToken)
    yield { delivery, slot, data: slot && composed }
  }
}

function takeSlot({ slots }: Pick<Deps, 'slots'>, receiver: Receiver, compose: () => string): Slot | null {
  const owner = slotOwner(receiver)
  // What waits goes first.
  const slot = slots.isWaiting(receiver._id) ? null : slots.tryTake(owner)
  if (slot === null) return null
  let isWeighed = false
  try {
    isWeighed = slot.weigh(compose().length)
  } finally {
    if (!isWeighed) slot.free(null)
  }
  if (isWeighed) return slot
  slots.wait(owner)
  return null
}

/** Inserts a delivery. Only the relay that inserted it attempts it: a duplicate belongs to another one. */
async function insertDelivery(deps: Deps, { delivery, slot, data }: Planned, until: number): Promise<void> {
  let isMine = false
  try {
    isMine = (await deps.lanes.insertDelivery(delivery, until)).inserted
  } finally {
    if (!isMine) slot?.free(null)
  }
  if (isMine && slot !== null && data !== null)
    beginAttempt(deps, delivery as ClaimedDelivery, slot, { data })
}

async function receiversOf(deps: Deps, sources: Source[]): Promise<Map<string, Receiver[]>> {
  const businessIds = [...groupBy(sources, ({ businessId }) => businessId).keys()]
  const found = await Promise.all(businessIds.map((id) => deps.lanes.findReceivers(id, noHurry)))
  return new Map(businessIds.map((id, index) => [id, found[index] ?? []]))
}

/** A new intent gets its delayed job here, off the path of the request that made it. */
function scheduleExpiries(deps: Deps, intents: IntentSource[]): void {
  const created = intents.filter((intent) => intent.outbox.some((event) => event.event === 'payment.created'))
  if (created.length > 0)
    deps.nudge(
      'intent-expiry',
      created.map((intent) => expiryJob(intent, deps.now())),
    )
}
