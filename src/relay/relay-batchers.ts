import type { Model } from 'mongoose'
import { paymentSourceFields } from '../intents/event-data.ts'
import { type Batcher, backgroundRest, createBatcher, createReadBatcher } from '../mongo/batchers.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { type Transactions, unlessLocked } from '../mongo/transaction.ts'
import type { Models } from '../platform/deps.ts'
import { orderSourceFields } from '../store/orders/event-data.ts'
import type { Source, TargetEndpoint } from '../webhooks/deliveries/new-delivery.ts'
import { standing } from '../webhooks/endpoints/endpoint.ts'

/** Limits what one job has in memory: an event takes up to 1.4 KB, of which the reason for a refund can be 0.8 KB. */
export const maxEventsPerRead = 10
/**
 * Up to this size, the relay reads what webhook bodies need along with the outbox. For larger documents (e.g. with lots
 * of metadata), each attempt reads that itself once it has a slot. A typical intent is smaller than 2 KiB.
 */
const smallBytes = 8 * 1024

/** Events of the document `_id` that can be removed from its outbox. */
interface RelayedEvents {
  _id: string
  events: string[]
}

/** Many relay jobs run in parallel, most of them for one intent, so their reads and writes are batched. */
export const openRelayBatchers = (models: Models & { transactions: Transactions }) => ({
  findIntentOutbox: createOutboxBatcher(models.Intent, {
    referenceNumber: 1,
    merchantReference: 1,
    expiresAt: 1,
    bodySource: ifSmall(paymentSourceFields),
  }),
  findOrderOutbox: createOutboxBatcher(models.Order, {
    referenceNumber: '$number',
    bodySource: ifSmall({ _id: 1, ...orderSourceFields }),
  }),
  findEndpointOutbox: createOutboxBatcher(models.Endpoint, {
    referenceNumber: '$_id',
    bodySource: { endpointId: '$_id' },
  }),
  findActiveEndpoints: createBatcher<string, TargetEndpoint[]>(500, async (businessIds) => {
    const found = await nativeCollection(models.Endpoint)
      .find<TargetEndpoint>(
        { businessId: { $in: [...new Set(businessIds)] }, ...standing, active: true },
        { projection: { businessId: 1, sandbox: 1, url: 1, events: 1, health: 1 }, hint: 'slotInUse' },
      )
      .toArray()
    const byBusiness = Map.groupBy(found, ({ businessId }) => businessId)
    return businessIds.map((id) => byBusiness.get(id) ?? [])
  }),
  emptyIntentOutbox: createEmptyingBatcher(models.Intent),
  emptyOrderOutbox: createEmptyingBatcher(models.Order),
  /** Not batched, because a transaction may have locked the endpoint. */
  async emptyEndpointOutbox({ _id, events }: RelayedEvents) {
    const pull = { $pull: { outbox: { id: { $in: events } } } }
    await unlessLocked(models, (session) =>
      nativeCollection(models.Endpoint).updateOne({ _id }, pull, { session }),
    )
  },
})

/** Missing if the document is large. */
const ifSmall = (fields: object) => {
  const paths = Object.fromEntries(Object.keys(fields).map((field) => [field, `$${field}`]))
  return { $cond: [{ $lte: [{ $bsonSize: '$$ROOT' }, smallBytes] }, paths, '$$REMOVE'] }
}

const createOutboxBatcher = <Doc extends { _id: string }>(
  model: Model<Doc>,
  fields: object,
): Batcher<string, Source | null> =>
  createReadBatcher(
    (ids) =>
      nativeCollection(model)
        .find<Source>({ _id: { $in: ids }, 'outbox.0': { $exists: true } } as object, {
          projection: { businessId: 1, sandbox: 1, ...fields, outbox: { $slice: maxEventsPerRead } },
        })
        .toArray(),
    ({ _id }) => [_id],
  )

/** One update lists the ids of all relayed events. They are unique, so each outbox loses only its own. */
const createEmptyingBatcher = <Doc extends { _id: string }>(
  model: Model<Doc>,
): Batcher<RelayedEvents, void> =>
  createBatcher(
    500,
    async (relayed) => {
      const events = relayed.flatMap((each) => each.events)
      await nativeCollection(model).updateMany(
        { _id: { $in: relayed.map(({ _id }) => _id) } } as object,
        { $pull: { outbox: { id: { $in: events } } } } as object,
      )
      return relayed.map(() => undefined)
    },
    backgroundRest,
  )
