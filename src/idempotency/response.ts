import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, type Of, part, secret, text } from '../mongo/fields.ts'
import type { EncryptedField } from '../security/encrypt.ts'

/** How long a key stays valid (SPEC 5.4). */
export const lifetimeMs = 24 * 3_600_000

/** MongoDB removes a row this much later than it ends, so that a request that has waited for long still finds it. */
const removalSeconds = 3600

/** The first response to a request. Creating an intent needs no row: its response is computed from the intent. */
export const responses = declareCollection({
  name: 'responses',
  kept: 'until it expires, an hour after nobody may get it any more',
  fields: {
    /** Digest of API key, method, path and idempotency key. */
    _id: text,
    /** Status and body, encrypted. */
    response: secret(text),
    /** True if nothing took effect. Should a twin take effect after all, its response replaces the row. */
    refusal: flag,
    paramsHash: text,
    /** When the write took effect, or was refused. */
    at: date,
    expiresAt: date,
  },
  indexes: [{ name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: removalSeconds }],
})
export type StoredResponse = Stored<typeof responses>

export const responseField = (id: string): EncryptedField => ({
  collection: responses.name,
  id,
  field: 'response',
})

/** Rows that a repetition may still get. */
export const stillNeeded = (now: Date) => ({ expiresAt: { $gt: now } })

/** What a document remembers of a request that changed it. */
export const markFields = part({ key: text, paramsHash: text, at: date })
export type Mark = Of<typeof markFields>

/** Anything written at or before this time no longer counts: the key is free again. */
export const freshSince = (arrivedAt: Date): Date => new Date(arrivedAt.getTime() - lifetimeMs)

/** Whether a request that arrived at `arrivedAt` may still find a mark. */
export const isFresh = ({ at }: Pick<Mark, 'at'>, arrivedAt: Date): boolean => at > freshSince(arrivedAt)
