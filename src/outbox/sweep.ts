import type { Model } from 'mongoose'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import { relayOutboxes, type ToRelay } from './relay.ts'

/** The wake-up job of a younger event may still arrive. */
const graceMs = 1_500
/** Documents of one business in one run of the poll. */
const mostOfOne = 1_000

interface Unrelayed {
  _id: string
  businessId: string
}

/** Relays the events that wait in outboxes, oldest first, with a share for each business. Returns how many documents it found. */
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

/** Ordered by oldest event. Reads index keys only, because a document may have 500 KB. A repeated search no longer finds relayed documents. */
const findUnrelayed = <Doc extends { _id: string }>(
  model: Model<Doc>,
  until: Date,
  without: readonly string[],
): AsyncIterable<Unrelayed> =>
  nativeCollection(model).find<Unrelayed>(
    { 'outbox.createdAt': { $lte: until }, businessId: { $nin: [...without] } } as object,
    { projection: { businessId: 1 }, hint: 'withOutbox', sort: { 'outbox.createdAt': 1 } },
  )
