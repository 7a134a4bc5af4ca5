import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { inFairBatches } from '../in-fair-batches.ts'
import { relayOutboxes, type ToRelay } from './relay.ts'

/** A younger event has its own wake-up on the way. */
const graceMs = 1_500
/** Documents of one business in one look. */
const mostOfOne = 1_000

interface Unrelayed {
  _id: string
  businessId: string
}

/** Relays events that wait in outboxes, of each business a share, the oldest first. Returns how many documents had some. */
export async function pollOutboxes(deps: Deps): Promise<number> {
  const until = new Date(deps.now().getTime() - graceMs)
  const relay = (some: (ids: string[]) => ToRelay) => async (found: Unrelayed[]) =>
    void (await relayOutboxes(deps, some(found.map(({ _id }) => _id))))
  const [intents, orders] = await Promise.allSettled([
    inFairBatches(
      mostOfOne,
      (_, without) => findUnrelayed(deps.Intent, until, without),
      relay((intentIds) => ({ intentIds, orderIds: [] })),
    ),
    inFairBatches(
      mostOfOne,
      (_, without) => findUnrelayed(deps.Order, until, without),
      relay((orderIds) => ({ intentIds: [], orderIds })),
    ),
  ])
  if (intents.status === 'rejected') throw intents.reason
  if (orders.status === 'rejected') throw orders.reason
  return intents.value + orders.value
}

/** In the order of the oldest event. Reads keys of the index only: a document may have 500 KB. What was relayed is no longer among them. */
const findUnrelayed = <Doc extends { _id: string }>(
  model: Model<Doc>,
  until: Date,
  without: readonly string[],
): AsyncIterable<Unrelayed> =>
  pastMongoose(model).find<Unrelayed>(
    { 'outbox.createdAt': { $lte: until }, businessId: { $nin: [...without] } } as object,
    { projection: { businessId: 1 }, hint: 'withOutbox', sort: { 'outbox.createdAt': 1 } },
  )
