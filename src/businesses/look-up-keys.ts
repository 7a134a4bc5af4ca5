import type { Deps } from '../deps.ts'
import type { ApiKey } from './api-key.ts'

/** A key as staff see it. Of its secrets, only the times at which they stop working are read. */
export type TracedKey = Omit<ApiKey, 'secrets'> & { secrets: Pick<ApiKey['secrets'][number], 'validUntil'>[] }

const tracedFields = { 'secrets.hash': 0, 'secrets.pepper': 0, 'secrets.rehashedAt': 0 }

/** The maximum number of keys on the page of a business. Few businesses have more than ten. */
export const maxKeys = 100

/** Returns a key, or null if it does not exist. */
export const lookUpKey = (deps: Pick<Deps, 'ApiKey'>, id: string): Promise<TracedKey | null> =>
  deps.ApiKey.findOne({ _id: id }, tracedFields).lean<TracedKey | null>()

/** Returns at most `maxKeys` of a business's keys, newest first and including revoked keys. */
export const keysOf = (deps: Pick<Deps, 'ApiKey'>, businessId: string): Promise<TracedKey[]> =>
  deps.ApiKey.find({ businessId }, tracedFields)
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxKeys)
    .lean<TracedKey[]>()
