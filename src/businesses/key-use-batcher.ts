import type { Model } from 'mongoose'
import { type Batcher, backgroundRest, createBatcher } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { ApiKey } from './api-key.ts'

/** The use of a key on a UTC day, such as `2026-11-21`. */
export interface KeyUse {
  keyId: string
  day: string
}

/** The maximum number of uses that a process remembers. They take up about 10 MB. */
const maxRemembered = 50_000

/**
 * Creates the batcher that records uses. It writes at most once per key and day, even while requests still read the key
 * as it was before the write. Only a failed write is repeated.
 */
export function createKeyUseBatcher(ApiKey: Model<ApiKey>): Batcher<KeyUse, void> {
  const write = createBatcher<KeyUse, void>(
    500,
    async (uses) => {
      await nativeCollection(ApiKey).bulkWrite(uses.map(asWrite), { ordered: false })
      return uses.map(() => undefined)
    },
    backgroundRest,
  )
  const days = new Map<string, string>()
  return async (use, deadlineAt) => {
    if (days.get(use.keyId) === use.day) return
    if (days.size >= maxRemembered) days.clear()
    days.set(use.keyId, use.day)
    try {
      await write(use, deadlineAt)
    } catch (error) {
      days.delete(use.keyId)
      throw error
    }
  }
}

/** The guard keeps a process whose clock is behind from setting an earlier day. */
const asWrite = ({ keyId, day }: KeyUse) => ({
  updateOne: {
    filter: { _id: keyId, lastUsedDay: { $not: { $gte: day } } },
    update: { $set: { lastUsedDay: day } },
  },
})
