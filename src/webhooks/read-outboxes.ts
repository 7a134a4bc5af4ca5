import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { groupBy } from '../group-by.ts'
import { type Lane, noHurry } from '../group-commit/lane.ts'
import { createReadLane } from '../group-commit/read-lane.ts'
import type { Intent } from '../intents/intent.ts'
import { type Order, placed } from '../store/orders/order.ts'
import type { Source } from './deliveries/new-delivery.ts'

/** An intent with events, and until when it is open. */
export type IntentSource = Source & Pick<Intent, 'expiresAt'>

/** Documents with events that are read together: at most 4 MiB. */
export interface Outboxes {
  intents: IntentSource[]
  orders: Source[]
}

/** A document with events that is too large to be read together with any others. */
interface Large {
  _id: string
  businessId: string
  bytes: number
}

/** A document up to this size is read with whichever others are asked for. An ordinary intent takes less than 2 KiB. */
const smallBytes = 8 * 1024
/** Small documents of one job that are read together: 50 jobs hold 40 MiB of them at most. */
const smallTogether = 100
/** Large documents that are read together, unless it is one. */
const groupBytes = 4 * 1024 * 1024
/** How many groups of large documents a process holds at once; one business half of them. */
export const largeGroups = 8
/** A group that waits for longer is left to the next poll. */
const groupWaitMs = 5_000
/** So many events of a large document are read at a time. */
const mostEvents = 200

/** The reads of small documents, which all jobs of the process share. A large one is only measured. */
export interface OutboxLanes {
  findIntentOutbox: Lane<string, IntentSource | Large | null>
  /** Only of an order that is placed. */
  findOrderOutbox: Lane<string, Source | Large | null>
}

const intentFields = { businessId: 1, sandbox: 1, referenceNumber: 1, shortCode: 1, expiresAt: 1 } as const
const orderFields = {
  businessId: 1,
  sandbox: 1,
  referenceNumber: '$number',
  number: 1,
  total: 1,
  customer: 1,
  createdAt: 1,
} as const
const waiting = { 'outbox.0': { $exists: true } } as const

const bytes = { $bsonSize: '$$ROOT' }
const ifSmall = (field: string) => ({ $cond: [{ $lte: [bytes, smallBytes] }, field, '$$REMOVE'] })

export const openOutboxLanes = (models: { Intent: Model<Intent>; Order: Model<Order> }): OutboxLanes => ({
  findIntentOutbox: createOutboxLane(models.Intent, waiting, {
    ...intentFields,
    metadata: ifSmall('$metadata'),
  }),
  findOrderOutbox: createOutboxLane(
    models.Order,
    { ...waiting, ...placed },
    { ...orderFields, items: ifSmall('$items') },
  ),
})

const createOutboxLane = <Doc extends { _id: string }, Kind extends Source>(
  model: Model<Doc>,
  filter: object,
  fields: object,
): Lane<string, Kind | Large | null> =>
  createReadLane<Kind | Large>(
    (ids) =>
      pastMongoose(model)
        .find<Kind | Large>({ _id: { $in: ids }, ...filter } as object, {
          projection: { ...fields, outbox: ifSmall('$outbox'), bytes },
        })
        .toArray(),
    ({ _id }) => [_id],
    groupBytes / smallBytes,
  )

const isSmall = <Kind extends Source>(found: Kind | Large | null): found is Kind =>
  found !== null && 'outbox' in found
const isLarge = (found: Source | Large | null): found is Large => found !== null && !('outbox' in found)

type ReadDeps = Pick<Deps, 'Intent' | 'Order' | 'lanes' | 'largeOutboxes'>

/**
 * Reads the documents that have events, with what the bodies of these are composed from, in groups that fit into memory: small ones first,
 * then large ones, and of these `mostEvents` events at a time. The caller removes the events of a group from their outboxes before it asks
 * for the next one. A document whose events it did not remove is not read again.
 */
export async function* readOutboxes(
  deps: ReadDeps,
  { intentIds, orderIds }: { intentIds: readonly string[]; orderIds: readonly string[] },
): AsyncGenerator<Outboxes> {
  const large = { intents: [] as Large[], orders: [] as Large[] }
  for (let at = 0; at < Math.max(intentIds.length, orderIds.length); at += smallTogether) {
    const [intents, orders] = await Promise.all([
      Promise.all(
        intentIds.slice(at, at + smallTogether).map((id) => deps.lanes.findIntentOutbox(id, noHurry)),
      ),
      Promise.all(
        orderIds.slice(at, at + smallTogether).map((id) => deps.lanes.findOrderOutbox(id, noHurry)),
      ),
    ])
    const small = { intents: intents.filter(isSmall), orders: orders.filter(isSmall) }
    if (small.intents.length + small.orders.length > 0) yield small
    large.intents.push(...intents.filter(isLarge))
    large.orders.push(...orders.filter(isLarge))
  }
  for (const ids of groupsOf(large.intents))
    for await (const intents of readGroup(deps, ids, (some) => readLargeIntents(deps, some)))
      yield { intents, orders: [] }
  for (const ids of groupsOf(large.orders))
    for await (const orders of readGroup(deps, ids, (some) => readLargeOrders(deps, some)))
      yield { intents: [], orders }
}

interface Group {
  businessId: string
  ids: string[]
}

/** Groups of one business each. */
function groupsOf(large: readonly Large[]): Group[] {
  const groups: Group[] = []
  for (const [businessId, some] of groupBy(large, (each) => each.businessId)) {
    let room = 0
    for (const { _id, bytes: size } of some) {
      if (size > room) {
        groups.push({ businessId, ids: [] })
        room = groupBytes
      }
      groups.at(-1)?.ids.push(_id)
      room -= size
    }
  }
  return groups
}

/** Reads a group again and again, until its outboxes are empty or the caller left events in them. */
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
      left = found.filter(({ outbox }) => outbox.length === mostEvents).map(({ _id }) => _id)
    }
  } finally {
    free()
  }
}

const firstEvents = { outbox: { $slice: mostEvents } } as const

const readLargeIntents = ({ Intent: model }: ReadDeps, ids: string[]): Promise<IntentSource[]> =>
  pastMongoose(model)
    .find<IntentSource>(
      { _id: { $in: ids }, ...waiting },
      { projection: { ...intentFields, metadata: 1, ...firstEvents } },
    )
    .toArray()

const readLargeOrders = ({ Order: model }: ReadDeps, ids: string[]): Promise<Source[]> =>
  pastMongoose(model)
    .find<Source>(
      { _id: { $in: ids }, ...waiting, ...placed },
      { projection: { ...orderFields, items: 1, ...firstEvents } },
    )
    .toArray()
