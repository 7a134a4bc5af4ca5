import type { Model } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import type { SealedField } from '../security/seal.ts'

declare module '../platform/deps.ts' {
  interface Models {
    StoredResponse: Model<StoredResponse>
  }
}

/** How long a key stays valid (SPEC 5.4). */
export const lifetimeMs = 24 * 3_600_000

/** MongoDB removes a row this much later than it ends, so that a request that has waited for long still finds it. */
const removalSeconds = 3600

/** The first response to a request. Creating an intent needs no row: its response is computed from the intent. */
export interface StoredResponse {
  /** Digest of API key, method, path and idempotency key. */
  _id: string
  /** Status and body, encrypted. */
  response: string
  /** True if nothing took effect. Should a twin take effect after all, its response replaces the row. */
  refusal: boolean
  paramsHash: string
  /** When the write took effect, or was refused. */
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

export const responseField = (id: string): SealedField => ({ collection: responses.name, id, field: 'response' })

/** Rows that a repetition may still get. */
export const stillNeeded = (now: Date) => ({ expiresAt: { $gt: now } })

/** What a document remembers of a request that changed it. */
export interface Mark {
  key: string
  paramsHash: string
  at: Date
}

export const markFields = { _id: false, key: String, paramsHash: String, at: Date } as const

/** Anything written at or before this time no longer counts: the key is free again. */
export const freshSince = (arrivedAt: Date): Date => new Date(arrivedAt.getTime() - lifetimeMs)

/** Whether a request that arrived at `arrivedAt` may still find a mark. */
export const isFresh = ({ at }: Pick<Mark, 'at'>, arrivedAt: Date): boolean => at > freshSince(arrivedAt)
