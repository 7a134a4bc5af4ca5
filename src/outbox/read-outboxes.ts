import type { Deps } from '../deps.ts'
import { noDeadline } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { placed } from '../store/orders/order.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'
import type { Endpoint } from '../webhooks/endpoints/endpoint.ts'
import { groupBytes, type IntentSource, intentFields, type Large, orderFields, waiting } from './outbox-batchers.ts'

/** A group of documents with events. The documents are read together, and their total size is at most 4 MiB. */
export interface Outboxes {
  intents: IntentSource[]
  orders: Source[]
  endpoints: Source[]
}

/**
 * The maximum number of small documents that one job reads at a time. With 100 concurrent jobs, at most 40 MiB of small
 * documents are in memory.
 */
const maxSmallPerRead = 50
/**
 * The maximum number of groups of large documents that a process holds at a time. A single business gets at most half
 * of these groups.
 */
export const maxLargeGroups = 8
/**
 * If a group of large documents has to wait longer than this before it may be read, the group is left for the next
 * poll, because its job cannot do anything else while it is waiting.
 */
const groupWaitMs = 100
/** The maximum number of events that are read from a large document at a time. */
const maxEventsPerRead = 200

const isSmall = <Kind extends Source>(found: Kind | Large | null): found is Kind => found !== null && 'outbox' in found
const isLarge = (found: Source | Large | null): found is Large => found !== null && !('outbox' in found)

/** The ids of documents whose outboxes may contain events. */
export interface ToRead {
  intentIds: readonly string[]
  orderIds: readonly string[]
  endpointIds?: readonly string[]
}

type ReadDeps = Pick<Deps, 'Intent' | 'Order' | 'Endpoint' | 'batchers' | 'largeOutboxes'>

/**
 * Reads documents that have events, with the fields that the webhook bodies need, in groups that fit into memory. The
 * small documents come first. The large documents follow, each with up to `maxEventsPerRead` events at a time. Before
 * requesting the next group, the caller must remove the current group's events from their outboxes. If the events of a
 * document are still in its outbox, the document is not read again.
 */
export async function* readOutboxes(
  deps: ReadDeps,
  { intentIds, orderIds, endpointIds = [] }: ToRead,
): AsyncGenerator<Outboxes> {
  const endpoints = endpointIds.length === 0 ? [] : await readEndpoints(deps, endpointIds)
  if (endpoints.length > 0) yield { intents: [], orders: [], endpoints }
  const large = { intents: [] as Large[], orders: [] as Large[] }
  for (let at = 0; at < Math.max(intentIds.length, orderIds.length); at += maxSmallPerRead) {
    const [intents, orders] = await Promise.all([
      Promise.all(
        intentIds.slice(at, at + maxSmallPerRead).map((id) => deps.batchers.findIntentOutbox(id, noDeadline)),
      ),
      Promise.all(orderIds.slice(at, at + maxSmallPerRead).map((id) => deps.batchers.findOrderOutbox(id, noDeadline))),
    ])
    const small = { intents: intents.filter(isSmall), orders: orders.filter(isSmall), endpoints: [] }
    if (small.intents.length + small.orders.length > 0) yield small
    large.intents.push(...intents.filter(isLarge))
    large.orders.push(...orders.filter(isLarge))
  }
  for (const ids of groupsOf(large.intents))
    for await (const intents of readGroup(deps, ids, (part) => readLargeIntents(deps, part)))
      yield { intents, orders: [], endpoints: [] }
  for (const ids of groupsOf(large.orders))
    for await (const orders of readGroup(deps, ids, (part) => readLargeOrders(deps, part)))
      yield { intents: [], orders, endpoints: [] }
}

interface Group {
  businessId: string
  ids: string[]
}

/**
 * Splits large documents into groups of at most `groupBytes`, each of which contains documents of only one business.
 */
function groupsOf(large: readonly Large[]): Group[] {
  const groups: Group[] = []
  for (const [businessId, documents] of Map.groupBy(large, (each) => each.businessId)) {
    let bytesLeft = 0
    for (const { _id, bytes } of documents) {
      if (bytes > bytesLeft) {
        groups.push({ businessId, ids: [] })
        bytesLeft = groupBytes
      }
      groups.at(-1)?.ids.push(_id)
      bytesLeft -= bytes
    }
  }
  return groups
}

/**
 * Reads a group repeatedly. Stops when the outboxes contain no further events, or only events that the caller has left
 * there.
 */
async function* readGroup<Kind extends Source>(
  { largeOutboxes }: ReadDeps,
  { businessId, ids }: Group,
  read: (ids: string[]) => Promise<Kind[]>,
): AsyncGenerator<Kind[]> {
  const free = await largeOutboxes.take(businessId, groupWaitMs)
  if (free === null) return
  try {
    const seen = new Set<string>()
    for (let left = ids; left.length > 0; ) {
      const found = (await read(left)).filter(({ outbox: [first] }) => first && !seen.has(first.id))
      if (found.length === 0) return
      for (const { outbox } of found) seen.add(outbox[0]?.id ?? '')
      yield found
      left = found.filter(({ outbox }) => outbox.length === maxEventsPerRead).map(({ _id }) => _id)
    }
  } finally {
    free()
  }
}

const firstEvents = { outbox: { $slice: maxEventsPerRead } } as const

const readLargeIntents = ({ Intent: model }: ReadDeps, ids: string[]): Promise<IntentSource[]> =>
  nativeCollection(model)
    .find<IntentSource>({ _id: { $in: ids }, ...waiting }, { projection: { ...intentFields, ...firstEvents } })
    .toArray()

const readLargeOrders = ({ Order: model }: ReadDeps, ids: string[]): Promise<Source[]> =>
  nativeCollection(model)
    .find<Source>({ _id: { $in: ids }, ...waiting, ...placed }, { projection: { ...orderFields, ...firstEvents } })
    .toArray()

/**
 * Reads endpoints with an event. An outbox contains at most one event of a few hundred bytes, so these reads need no
 * limit.
 */
async function readEndpoints({ Endpoint: model }: ReadDeps, ids: readonly string[]): Promise<Source[]> {
  const found = await nativeCollection(model)
    .find<Pick<Endpoint, '_id' | 'businessId' | 'sandbox' | 'outbox'>>(
      { _id: { $in: [...ids] }, ...waiting },
      { projection: { businessId: 1, sandbox: 1, outbox: 1 } },
    )
    .toArray()
  return found.map((endpoint) => ({ ...endpoint, referenceNumber: endpoint._id, endpointId: endpoint._id }))
}
