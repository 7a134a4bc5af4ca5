import type { Model } from 'mongoose'
import type { Batcher } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { ApiKey } from './api-key.ts'
import type { Business } from './business.ts'

/** An API key and the business that it belongs to. */
export interface KeyAndBusiness extends ApiKey {
  business: Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended' | 'limits' | 'commission'>
}

/**
 * Creates the batcher that looks up keys by hash. One query reads both the key and its business. The batcher has no
 * cache, so that a revoked key or a disabled business is rejected immediately.
 */
export const createKeyBatcher = (ApiKey: Model<ApiKey>): Batcher<string, KeyAndBusiness | null> =>
  createReadBatcher(
    (hashes) =>
      nativeCollection(ApiKey)
        .aggregate<KeyAndBusiness>([
          { $match: { 'secrets.hash': { $in: hashes } } },
          { $lookup: { from: 'businesses', localField: 'businessId', foreignField: '_id', as: 'business' } },
          { $set: { business: { $first: '$business' } } },
        ])
        .toArray(),
    (key) => key.secrets.map((secret) => secret.hash),
  )
