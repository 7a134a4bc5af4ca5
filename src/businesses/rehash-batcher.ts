import type { Model } from 'mongoose'
import { type Batcher, backgroundRestMs, createBatcher } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { ApiKey } from './api-key.ts'

/** Replaces a secret's hash `from` with a hash that uses a different pepper. */
export interface KeyRehash {
  keyId: string
  from: string
  to: string
  pepper: string
  at: Date
}

/** Creates the batcher that rehashes secrets. A thousand concurrent requests with the same key cause only one write. */
export const createRehashBatcher = (ApiKey: Model<ApiKey>): Batcher<KeyRehash, void> =>
  createBatcher(
    500,
    async (rehashes) => {
      const byHash = new Map(rehashes.map((rehash) => [rehash.from, rehash]))
      await nativeCollection(ApiKey).bulkWrite([...byHash.values()].map(asWrite), { ordered: false })
      return rehashes.map(() => undefined)
    },
    backgroundRestMs,
  )

/**
 * The write changes nothing if the secret was rehashed or rotated in the meantime, because its hash is then different.
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
