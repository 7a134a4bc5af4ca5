import type { Model } from 'mongoose'
import type { Batcher } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'

/**
 * An intent as read by a request that may change it. `refunds` is empty: an intent may have 1 000 refunds, and reading
 * 1 MB takes 5 ms, during which the process serves no other request.
 */
export interface IntentToChange extends Intent {
  /** The effect id of each refund. */
  refundEffects: string[]
  /** The size of the whole stored document, including its refunds. */
  bytes: number
}

/** Reads intents of all businesses by reference. Each caller checks that the intent is its own. */
export const createIntentBatcher = (Intent: Model<Intent>): Batcher<string, Intent | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      nativeCollection(Intent)
        .find({ referenceNumber: { $in: referenceNumbers } }, { projection: { outbox: 0 } })
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

/** Reads intents for `findIntentToChange`. */
export const createIntentToChangeBatcher = (Intent: Model<Intent>): Batcher<string, IntentToChange | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      nativeCollection(Intent)
        .aggregate<IntentToChange>([
          { $match: { referenceNumber: { $in: referenceNumbers } } },
          { $set: { refundEffects: '$refunds.effectId', bytes: { $bsonSize: '$$ROOT' }, refunds: [] } },
          { $unset: ['outbox'] },
        ])
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

/** An intent as shown on its hosted page. `refunds` is empty, because the page shows only the sum of the refunds. */
export interface OfferedIntent extends Intent {
  /** The sum of its SUCCEEDED refunds, in centimes. */
  refunded: number
  /** The name of the intent's business. */
  merchant: string
  /** The size of the whole stored document, including its refunds and outbox. */
  bytes: number
  /** Whether the business is suspended and cannot be paid. */
  isSuspended: boolean
}

const succeeded = {
  $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'SUCCEEDED'] } },
}

/** Reads intents by short code for the hosted page, together with their businesses. */
export const createOfferedBatcher = (Intent: Model<Intent>): Batcher<string, OfferedIntent | null> =>
  createReadBatcher(
    (shortCodes) =>
      nativeCollection(Intent)
        .aggregate<OfferedIntent>([
          { $match: { shortCode: { $in: shortCodes } } },
          { $set: { bytes: { $bsonSize: '$$ROOT' } } },
          { $lookup: { from: 'businesses', localField: 'businessId', foreignField: '_id', as: 'business' } },
          {
            $set: {
              merchant: { $ifNull: [{ $first: '$business.name' }, ''] },
              refunded: { $sum: { $map: { input: succeeded, in: '$$this.amount' } } },
              refunds: [],
              isSuspended: { $ne: [{ $first: '$business.suspended' }, false] },
            },
          },
          { $unset: ['business', 'outbox'] },
        ])
        .toArray(),
    ({ shortCode }) => [shortCode],
  )

/**
 * Reads intents that may expire, by reference. Uses a batcher, because the intents of a sale may all expire in the same
 * second. Omits the metadata, which may take up 150 KB.
 */
export const createExpiringBatcher = (Intent: Model<Intent>): Batcher<string, Intent | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      nativeCollection(Intent)
        .find(mayExpire(referenceNumbers), { projection: { metadata: 0 } })
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

const mayExpire = (referenceNumbers: string[]) => ({
  referenceNumber: { $in: referenceNumbers },
  status: { $in: transitions.expire.from },
  hold: null,
})
