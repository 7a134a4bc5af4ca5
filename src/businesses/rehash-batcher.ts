import type { Model } from 'mongoose'
import { type Batcher, backgroundRest, createBatcher } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { ApiKey } from './api-key.ts'

/** A request to replace a secret's hash `from` with the hash `to`, which uses a different pepper. */
export interface KeyRehash {
  keyId: string
  from: string
  to: string
  pepper: string
  at: Date
}

/**
 * Creates the batcher that rehashes secrets. Even if many concurrent requests use the same key, a batch contains only
 * one write for that key.
 */
export const createRehashBatcher = (ApiKey: Model<ApiKey>): Batcher<KeyRehash, void> =>
  createBatcher(
    500,
    async (rehashes) => {
      const byHash = new Map(rehashes.map((rehash) => [rehash.from, rehash]))
      await nativeCollection(ApiKey).bulkWrite([...byHash.values()].map(asWrite), { ordered: false })
      return rehashes.map(() => undefined)
    },
    backgroundRest,
  )

/**
 * Returns the write that rehashes a secret. If another request has already rehashed the secret, or a rotation has
 * removed it, the write changes nothing, because the key no longer contains the hash `from`.
 */
const asWrite = ({ keyId, from, to, pepper, at }: KeyRehash) => ({
  updateOne: {
    filter: { _id: keyId, 'secrets.hash': from },
    update: {
      $set: {
        'secrets.$.hash': to,
        'secrets.$.pepper': pepper,
        'secrets.$.rehashedAt': at,
      },
    },
  },
})
