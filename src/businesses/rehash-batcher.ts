import type { Model } from 'mongoose'
import { type Batcher, backgroundRestMs, createBatcher } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { ApiKey } from './api-key.ts'

/** A secret that is to rest on another pepper than the one under which it was found. */
export interface KeyRehash {
  keyId: string
  /** The hash under which the key is stored. */
  from: string
  to: string
  pepper: string
  at: Date
}

/** The batcher of moves. A thousand requests with one key at once are one write. */
export const createRehashBatcher = (ApiKey: Model<ApiKey>): Batcher<KeyRehash, void> =>
  createBatcher(
    500,
    async (moves) => {
      const byHash = new Map(moves.map((move) => [move.from, move]))
      await nativeCollection(ApiKey).bulkWrite([...byHash.values()].map(asWrite), { ordered: false })
      return moves.map(() => undefined)
    },
    backgroundRestMs,
  )

/** Whoever moved or rotated it meanwhile has put another hash there, and that stays. */
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
