import type { Model } from 'mongoose'
import type { CommissionHistory } from '../businesses/commission-rates.ts'
import type { Batcher } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'

/**
 * An intent as read by a request that may change it. Its `refunds` list is always empty, because an intent may have a
 * thousand refunds with a total size of 1 MB. Reading these refunds would take 5 ms, during which the process could not
 * serve any other request.
 */
export interface IntentToChange extends Intent {
  /** The effect ids of the intent's refunds. */
  refundEffects: string[]
  /** The size of the whole stored document in bytes, including its refunds and outbox. */
  bytes: number
}

/**
 * Creates the batcher that reads intents by reference. The batcher does not check which business an intent belongs to,
 * so each caller must do so.
 */
export const createIntentBatcher = (Intent: Model<Intent>): Batcher<string, Intent | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      nativeCollection(Intent)
        .find({ referenceNumber: { $in: referenceNumbers } }, { projection: { outbox: 0, lookUpKeys: 0 } })
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

/** Creates the batcher that `findIntentToChange` uses to read intents. */
export const createIntentToChangeBatcher = (Intent: Model<Intent>): Batcher<string, IntentToChange | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      nativeCollection(Intent)
        .aggregate<IntentToChange>([
          { $match: { referenceNumber: { $in: referenceNumbers } } },
          { $set: { refundEffects: '$refunds.effectId', bytes: { $bsonSize: '$$ROOT' }, refunds: [] } },
          { $unset: ['outbox', 'lookUpKeys'] },
        ])
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

/**
 * An intent as displayed on its hosted page. Its `refunds` list is always empty, because the page shows only the sum of
 * the refunds.
 */
export interface OfferedIntent extends Intent {
  /** The sum of the intent's SUCCEEDED refunds, in centimes, and the sum of the payer's fees that they returned. */
  refunded: number
  refundedFee: number
  /** The name of the business that created the intent. */
  merchant: string
  /** The size of the whole stored document in bytes, including its refunds and outbox. */
  bytes: number
  /** Whether the business is suspended. Customers cannot pay a suspended business. */
  isSuspended: boolean
  /** The commission rates that operators have set for the business. */
  commission: CommissionHistory
}

const succeeded = {
  $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'SUCCEEDED'] } },
}

/**
 * Creates the batcher that reads intents for the hosted page. The batcher finds each intent by its short code, together
 * with the business that created it.
 */
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
              refundedFee: { $sum: { $map: { input: succeeded, in: '$$this.returnedFees.payerTtc' } } },
              refunds: [],
              isSuspended: { $ne: [{ $first: '$business.suspended' }, false] },
              commission: { $ifNull: [{ $first: '$business.commission' }, []] },
            },
          },
          { $unset: ['business', 'outbox', 'lookUpKeys'] },
        ])
        .toArray(),
    ({ shortCode }) => [shortCode],
  )

/**
 * Creates the batcher that looks up, by reference, intents that may expire. The reads are batched because, after a
 * sale, many intents may expire in the same second. The batcher omits the metadata, which can take up 153 KB per
 * intent.
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
