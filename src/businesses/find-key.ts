import type { Model } from 'mongoose'
import type { Batcher } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { ApiKey } from './api-key.ts'
import type { Business } from './business.ts'

/** A key with its business. */
export interface KeyAndBusiness extends ApiKey {
  business: Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended' | 'limits'>
}

/**
 * The batcher for key lookups by hash. One query reads both documents. Nothing is cached, so that a revoked key or a
 * disabled business is refused immediately.
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
