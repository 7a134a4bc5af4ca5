import type { Deps } from '../deps.ts'
import { logEvents } from '../events/log.ts'
import { expiryJob } from '../intents/expire.ts'
import { bookEvents } from '../ledger/book.ts'
import { noDeadline } from '../mongo/batching/batcher.ts'
import type { Jobs } from '../queues/jobs.ts'
import { causeOf } from '../webhooks/deliveries/new-delivery.ts'
import type { Caused } from './event.ts'
import { maxEventsPerRead } from './relay-batchers.ts'
import { type DeliveryCounts, relayDeliveries } from './relay-deliveries.ts'

/** Documents whose outboxes may contain events. */
export type ToRelay = Partial<Jobs['outbox-relay'] & { endpointIds: string[] }>

type Kind = 'Intent' | 'Order' | 'Endpoint'

export interface Relayed extends DeliveryCounts {
  events: number
  /** The cause of each relayed event. */
  causes: Caused[]
}

/**
 * The maximum number of documents that a job relays at a time. With 100 concurrent jobs, the events of at most 5 000
 * documents are in memory.
 */
const maxPerJob = 50
/**
 * A document that has to wait longer is left for the next poll, because its job can do nothing else in the meantime.
 */
const maxWaitMs = 100

/**
 * Relays the events of intents, orders and endpoints. For each event, inserts one delivery per subscribed endpoint and
 * starts the attempts for which slots are free. Then appends the event to the event log, and books payments and refunds
 * in the ledger. Removes the event from the outbox last. If the process
 * is killed, the relay can safely run again: a delivery's id is composed of the ids of its event and its endpoint, so a
 * second insert fails. Only the relay that inserted a delivery starts its attempt. Events that exceed the available
 * capacity stay in the outbox for the next poll. If relaying a document fails, the remaining documents are still
 * processed before the first error is thrown.
 */
export async function relayOutboxes(deps: Deps, toRelay: ToRelay): Promise<Relayed> {
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

/**
 * Calls `act` with those of the `ids` that this process is not already relaying. If another caller passes some of these
 * ids while `act` is running, calls `act` again with them.
 */
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
 * Relays the first events of a document, and schedules the expiry of a new intent, so that the request that creates an
 * intent does not have to. If the document may have further events, it is read again after the others of the job. Does
 * nothing if no slot is free.
 */
async function relayDocument(deps: Deps, relayed: Relayed, kind: Kind, id: string): Promise<void> {
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
  await Promise.all([logEvents(deps, source, outbox, noDeadline), bookEvents(deps, source, outbox, noDeadline)])
  const empty = deps.batchers[`empty${kind}Outbox`]
  await empty({ _id: id, events: outbox.map((event) => event.id) }, noDeadline)
  if (expiresAt && outbox.some(({ event }) => event === 'payment.created'))
    deps.enqueue('intent-expiry', [expiryJob({ referenceNumber, expiresAt }, deps.now())])
  relayed.events += outbox.length
  relayed.causes.push(...outbox.map(causeOf))
  if (outbox.length === maxEventsPerRead) deps.relaying.set(id, 'again')
}
