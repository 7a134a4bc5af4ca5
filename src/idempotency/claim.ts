import type { Model } from 'mongoose'
import { type Batcher, createBatcher } from '../mongo/batching/batcher.ts'
import { type Collection, nativeCollection } from '../mongo/collection.ts'
import type { SealedField } from '../security/seal.ts'

/** How long a response is stored, and how long a key identifies the same request (SPEC 5.4). */
export const lifetimeMs = 24 * 3_600_000

/** MongoDB removes a claim this long after `expiresAt`, when every lease that began before it has ended. */
export const removalMs = 60 * 60_000

/**
 * The claim of one request, identified by API key, method, path and idempotency key. The holder of `token` runs the
 * operation. `effectId` stays the same when the claim changes hands, so that the next holder finds the effect of the
 * last one.
 */
export interface Claim {
  _id: string
  effectId: string
  token: string
  /** When the last holder's lease ends, or when the holder gave up. */
  leaseEndsAt: Date
  paramsHash: string
  /** The first response. A create's response is stored in, or computed from, the document that it created. */
  sealedResponse?: string
  /**
   * The business of the test key that made the request, if this document stores `sealedResponse`
   * (src/quotas/sandbox-responses.ts).
   */
  sandboxOf?: string
  /**
   * Written before a waiting duplicate gets the response. This journalled write also makes the response that was read
   * durable.
   */
  replayedAt?: Date
  /** 24 hours after the first request. Taking over the claim never changes it. */
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
    // For the quota of stored responses, which is counted without reading documents. Contains no claims of live keys.
    {
      name: 'sandboxResponses',
      key: { sandboxOf: 1, expiresAt: 1 },
      partialFilterExpression: { sandboxOf: { $exists: true } },
    },
  ],
}

/** The field with the sealed response, in the claim or in the document that a create inserted. */
export const responseField = (collection: string, id: string): SealedField => ({
  collection,
  id,
  field: 'sealedResponse',
})

/** The batcher for `replayedAt` updates. A thousand waiting duplicates of one claim cost two writes. */
export const createReplayBatcher = (Claim: Model<Claim>, now: () => Date): Batcher<string, void> =>
  createBatcher(1000, async (ids) => {
    await nativeCollection(Claim).updateMany(
      { _id: { $in: [...new Set(ids)] } },
      { $set: { replayedAt: now() } },
    )
    return ids.map(() => undefined)
  })
