import type { Model } from 'mongoose'
import type { Intent } from '../intents/intent.ts'
import type { Batcher } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { type Order, placed } from '../store/orders/order.ts'
import { orderSourceFields } from '../webhooks/body/order-data.ts'
import { paymentSourceFields } from '../webhooks/body/payment-data.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'

/** An intent with events in its outbox. The relay uses `expiresAt` to schedule the intent's expiry. */
export type IntentSource = Source & Pick<Intent, 'expiresAt'>

/** A document that has events and is larger than `smallBytes`. Only its id, business and size have been read so far. */
export interface Large {
  _id: string
  businessId: string
  bytes: number
}

/**
 * Documents up to this size may be read together without any check of their total size. A typical intent is smaller
 * than 2 KiB.
 */
const smallBytes = 8 * 1024
/**
 * The maximum total size of the large documents that are read together as a group. A single document that exceeds this
 * size forms a group of its own.
 */
export const groupBytes = 4 * 1024 * 1024
/**
 * The batched reads of outboxes, which all jobs of the process share. These reads return small documents with the
 * fields that the relay needs, but only the size of large documents.
 */
export interface OutboxBatchers {
  findIntentOutbox: Batcher<string, IntentSource | Large | null>
  /** Finds only orders that have been placed. */
  findOrderOutbox: Batcher<string, Source | Large | null>
}

export const intentFields = { businessId: 1, sandbox: 1, expiresAt: 1, ...paymentSourceFields } as const
export const orderFields = {
  businessId: 1,
  sandbox: 1,
  referenceNumber: '$number',
  ...orderSourceFields,
} as const
export const waiting = { 'outbox.0': { $exists: true } } as const

const bytes = { $bsonSize: '$$ROOT' }
const ifSmall = (field: string) => ({ $cond: [{ $lte: [bytes, smallBytes] }, field, '$$REMOVE'] })

export const openOutboxBatchers = (models: { Intent: Model<Intent>; Order: Model<Order> }): OutboxBatchers => ({
  findIntentOutbox: createOutboxBatcher(models.Intent, waiting, {
    ...intentFields,
    metadata: ifSmall('$metadata'),
  }),
  findOrderOutbox: createOutboxBatcher(
    models.Order,
    { ...waiting, ...placed },
    { ...orderFields, items: ifSmall('$items') },
  ),
})

const createOutboxBatcher = <Doc extends { _id: string }, Kind extends Source>(
  model: Model<Doc>,
  filter: object,
  fields: object,
): Batcher<string, Kind | Large | null> =>
  createReadBatcher<Kind | Large>(
    (ids) =>
      nativeCollection(model)
        .find<Kind | Large>({ _id: { $in: ids }, ...filter } as object, {
          projection: { ...fields, outbox: ifSmall('$outbox'), bytes },
        })
        .toArray(),
    ({ _id }) => [_id],
    groupBytes / smallBytes,
  )
