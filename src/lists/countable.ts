import type { Model } from 'mongoose'
import type { Config } from '../config/config.ts'
import type { Listed } from '../mongo/walk.ts'
import { longestReadMs } from './pagination.ts'

/**
 * A list whose items can be counted with checkpoints. An item that matches `where` must continue to match `where`
 * forever. After the fields of `where`, the index must contain the creation time and id.
 */
export interface Countable {
  /** Identifies the list within a process. The key consists of the owner, the environment and the kind of item. */
  key: string
  collection: Model<Listed>['collection']
  index: string
  where: Record<string, unknown>
  /** Items created before this time may have been removed. If null, no items are removed. */
  keptFrom: Date | null
  /**
   * Returns the time before which all items have been inserted, or null if no insert is late. Only collections whose
   * items may be inserted long after their creation time need this function.
   */
  completeBefore?(): Promise<Date | null>
}

/** One environment of one business. */
export interface Owner {
  businessId: string
  sandbox: boolean
}

export const keyOf = (collection: string, { businessId, sandbox }: Owner): string =>
  `${collection} ${businessId} ${sandbox}`

/** The safety margin for clock skew, which is many times the actual skew between two processes. */
const marginMs = 60_000

/**
 * The intents or the orders of one environment. The clean-up removes test ones that were created before its cutoff. The
 * safety margin is added to it.
 */
export const allOf = (
  { now, config }: { now(): Date; config: Pick<Config, 'sandboxRetentionMs'> },
  collection: Countable['collection'],
  { businessId, sandbox }: Owner,
): Countable => ({
  key: keyOf(collection.name, { businessId, sandbox }),
  collection,
  index: 'byTime',
  where: { businessId, sandbox },
  keptFrom: sandbox ? new Date(now().getTime() - config.sandboxRetentionMs + marginMs) : null,
})

/**
 * Counts the items whose creation time matches the filter `createdAt`, up to `limit`. An empty filter matches all
 * items.
 */
export const countCreated = (
  { collection, index, where }: Countable,
  createdAt: Record<string, Date>,
  limit?: number,
): Promise<number> =>
  collection.countDocuments(
    { ...where, ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }) },
    { hint: index, maxTimeMS: longestReadMs, ...(limit !== undefined && { limit }) },
  )
