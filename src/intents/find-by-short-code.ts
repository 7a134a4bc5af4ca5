import type { Model } from 'mongoose'
import type { Deps } from '../deps.ts'
import type { Batcher } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { pastMongoose } from '../mongo/collection.ts'
import type { Intent } from './intent.ts'

/** An intent as its hosted page shows it. `refunds` is empty: an intent may have 1 000 refunds, and the page shows only their sum. */
export interface OfferedIntent extends Intent {
  /** The sum of its SUCCEEDED refunds, in centimes. */
  refunded: number
  /** The name of the business that wants to be paid. */
  merchant: string
  /** The size of the whole stored document, with its refunds and its outbox. */
  bytes: number
  /** True while the business is suspended and cannot be paid. */
  isSuspended: boolean
}

const succeeded = {
  $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'SUCCEEDED'] } },
}

/** The batcher of intents by short code, each with its merchant in the same trip, without what only the API needs. */
export const createOfferedBatcher = (Intent: Model<Intent>): Batcher<string, OfferedIntent | null> =>
  createReadBatcher(
    (shortCodes) =>
      pastMongoose(Intent)
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

/** The intent with this short code, of whichever business and environment; null for no such code. */
export const findByShortCode = (
  deps: Pick<Deps, 'batchers'>,
  shortCode: string,
  until: number,
): Promise<OfferedIntent | null> => deps.batchers.findOffered(shortCode, until)
