import { noteEvents } from '../activity/note-events.ts'
import type { Deps } from '../deps.ts'
import { logEvents } from '../events/log.ts'
import { expiryJob } from '../intents/expire.ts'
import { bookEvents } from '../ledger/book.ts'
import { type Batcher, noDeadline } from '../mongo/batching/batcher.ts'
import { causeOf, type Source, type TargetEndpoint } from '../webhooks/deliveries/new-delivery.ts'
import type { Caused } from './event.ts'
import type { IntentSource } from './outbox-batchers.ts'
import { type Outboxes, readOutboxes } from './read-outboxes.ts'
import type { RelayedEvents } from './relay-batchers.ts'
import { type DeliveryCounts, relayDeliveries } from './relay-deliveries.ts'

/** Documents whose outboxes may contain events. */
export interface ToRelay {
  intentIds: string[]
  orderIds: string[]
  endpointIds?: string[]
}

export interface Relayed extends DeliveryCounts {
  events: number
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
 * Relays the events of intents, orders and endpoints. For each event, inserts one delivery per subscribed endpoint and
 * starts the attempts for which slots are free. Then appends the event to the event log, notes it for the figures on
 * the staff pages, and books payments and refunds in the ledger. Removes the event from the outbox last. If the process
 * is killed, the relay can safely run again: a delivery's id is composed of the ids of its event and its endpoint, so a
 * second insert fails. Only the relay that inserted a delivery starts its attempt. Events that exceed the available
 * capacity stay in the outbox for the next poll. If relaying a document fails, the remaining documents are still
 * processed before the first error is thrown.
 */
export async function relayOutboxes(deps: Deps, toRelay: ToRelay): Promise<Relayed> {
  const { intentIds, orderIds, endpointIds = [] } = toRelay
  const relayed: Relayed = { events: 0, deliveries: 0, waiting: 0, causes: [] }
  const faults: unknown[] = []
  const addFault = (error: unknown): void => void faults.push(error)
  await relayOnce(deps, [...intentIds, ...orderIds, ...endpointIds], async (ids) => {
    const own = {
      intentIds: intentIds.filter((id) => ids.delete(id)),
      orderIds: orderIds.filter((id) => ids.delete(id)),
      endpointIds: endpointIds.filter((id) => ids.delete(id)),
    }
    for await (const outboxes of readOutboxes(deps, own)) await relaySome(deps, relayed, outboxes).catch(addFault)
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
  { intents, orders, endpoints: reported }: Outboxes,
): Promise<void> {
  const endpoints = await findEndpoints(deps, [...intents, ...orders, ...reported])
  const insert = async (source: Source, empty: Batcher<RelayedEvents, void>): Promise<void> => {
    const { businessId, outbox } = source
    const free = await deps.relaySlots.take(businessId, slotWaitMs)
    if (free === null) return
    try {
      await relayDeliveries(deps, relayed, source, endpoints.get(businessId) ?? [])
    } finally {
      free()
    }
    await Promise.all([
      logEvents(deps, source, outbox, noDeadline),
      noteEvents(deps, source),
      bookEvents(deps, source, outbox, noDeadline),
    ])
    await empty({ _id: source._id, events: outbox.map(({ id }) => id) }, noDeadline)
    relayed.events += outbox.length
    relayed.causes.push(...outbox.map(causeOf))
  }
  const done = await Promise.allSettled([
    ...intents.map((intent) => insert(intent, deps.batchers.emptyIntentOutbox)),
    ...orders.map((order) => insert(order, deps.batchers.emptyOrderOutbox)),
    ...reported.map((endpoint) => insert(endpoint, deps.batchers.emptyEndpointOutbox)),
  ])
  scheduleExpiries(deps, intents)
  const failed = done.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Returns the active endpoints by business id, for all businesses in `sources`. */
async function findEndpoints(deps: Deps, sources: Source[]): Promise<Map<string, TargetEndpoint[]>> {
  const businessIds = [...Map.groupBy(sources, ({ businessId }) => businessId).keys()]
  const found = await Promise.all(businessIds.map((id) => deps.batchers.findActiveEndpoints(id, noDeadline)))
  return new Map(businessIds.map((id, index) => [id, found[index] ?? []]))
}

/**
 * Schedules the expiry of new intents. The relay does this so that the request that creates an intent does not have to.
 */
function scheduleExpiries(deps: Deps, intents: IntentSource[]): void {
  const created = intents.filter((intent) => intent.outbox.some((event) => event.event === 'payment.created'))
  const now = deps.now()
  deps.enqueue(
    'intent-expiry',
    created.map((intent) => expiryJob(intent, now)),
  )
}
