import type { Model } from 'mongoose'
import { type Batcher, createBatcher } from '../mongo/batching/batcher.ts'
import { type Collection, nativeCollection } from '../mongo/collection.ts'
import type { SealedField } from '../security/seal.ts'

/** How long a response stays stored, and how long its idempotency key stays valid (SPEC 5.4). */
export const lifetimeMs = 24 * 3_600_000

/** MongoDB removes a claim this long after its `expiresAt`. By then, every lease taken before `expiresAt` has ended. */
export const removalMs = 60 * 60_000

/**
 * A claim on one request, identified by its API key, method, path and idempotency key. The holder of `token` runs the
 * operation. `effectId` stays the same when another attempt takes over the claim, so that the new holder can find out
 * whether the previous holder's effect happened.
 */
export interface Claim {
  _id: string
  effectId: string
  token: string
  /** When the current holder's lease ends, or when the last holder gave up. */
  leaseEndsAt: Date
  paramsHash: string
  /**
   * The sealed first response. Missing if the operation creates a document, because the response is then stored in that
   * document or computed from it.
   */
  sealedResponse?: string
  /**
   * The business whose test key was used for the request. Set only if this claim stores `sealedResponse`
   * (src/quotas/sandbox-responses.ts).
   */
  sandboxOf?: string
  /**
   * When the response was last replayed to a request that had been waiting for that response. This time is written
   * before the replay. The write is journalled, which also makes the response itself durable.
   */
  replayedAt?: Date
  /** 24 hours after the first request. A takeover of the claim by another attempt does not change this time. */
  expiresAt: Date
  removeAt: Date
}

export const claims: Collection = {
  name: 'idempotencykeys',
  fields: {
    _id: String,
    effectId: String,
    token: String,
    leaseEndsAt: Date,
    paramsHash: String,
    sealedResponse: String,
    sandboxOf: String,
    replayedAt: Date,
    expiresAt: Date,
    removeAt: Date,
  },
  indexes: [
    { name: 'removal', key: { removeAt: 1 }, expireAfterSeconds: 0 },
    // The quota for stored sandbox responses is checked by counting entries in this index, without reading any
    // documents. Claims made with live keys are not in the index.
    {
      name: 'sandboxResponses',
      key: { sandboxOf: 1, expiresAt: 1 },
      partialFilterExpression: { sandboxOf: { $exists: true } },
    },
  ],
}

/** Returns the field that holds the sealed response, either in the claim or in the document that a create inserted. */
export const responseField = (collection: string, id: string): SealedField => ({
  collection,
  id,
  field: 'sealedResponse',
})

/**
 * Batches the updates of `replayedAt`, so that a thousand duplicates waiting for the same claim cause only two writes.
 */
export const createReplayBatcher = (Claim: Model<Claim>, now: () => Date): Batcher<string, void> =>
  createBatcher(1000, async (ids) => {
    await nativeCollection(Claim).updateMany({ _id: { $in: [...new Set(ids)] } }, { $set: { replayedAt: now() } })
    return ids.map(() => undefined)
  })
