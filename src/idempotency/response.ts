import type { Model } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import type { EncryptedField } from '../security/encrypt.ts'

declare module '../platform/deps.ts' {
  interface Models {
    StoredResponse: Model<StoredResponse>
  }
}

/** How long a key stays valid (SPEC 5.4). */
export const lifetimeMs = 24 * 3_600_000

/** MongoDB removes a row this long after its end, so that even a request that has waited for long still finds it. */
const removalSeconds = 3600

/** The first response to a request. Intents need no row for their create: it is computed from them. */
export interface StoredResponse {
  /** The request: a digest of API key, method, path and idempotency key. */
  _id: string
  /** The encrypted status and body. */
  response: string
  /** Whether nothing took effect. If a twin did take effect, its response replaces such a row. */
  refusal: boolean
  paramsHash: string
  /** The time of the write that took effect, or of the refusal. */
  at: Date
  expiresAt: Date
}

export const responses: Collection = {
  name: 'responses',
  fields: {
    _id: String,
    response: String,
    refusal: Boolean,
    paramsHash: String,
    at: Date,
    expiresAt: Date,
  },
  indexes: [{ name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: removalSeconds }],
}

export const responseField = (id: string): EncryptedField => ({ collection: responses.name, id, field: 'response' })

/** Matches the rows that a repetition may still get. */
export const stillNeeded = (now: Date) => ({ expiresAt: { $gt: now } })

/** What a document remembers of a request that changed it. */
export interface Mark {
  key: string
  paramsHash: string
  at: Date
}

export const markFields = { _id: false, key: String, paramsHash: String, at: Date } as const

/** Whatever was written at or before this time counts for nothing any more: the key is free again. */
export const freshSince = (arrivedAt: Date): Date => new Date(arrivedAt.getTime() - lifetimeMs)

/** Whether a request that arrived at `arrivedAt` may still find a mark. */
export const isFresh = ({ at }: Pick<Mark, 'at'>, arrivedAt: Date): boolean => at > freshSince(arrivedAt)
