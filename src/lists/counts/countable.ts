import type { Model } from 'mongoose'
import { type Listed, longestReadMs } from '../../input/pagination.ts'

/**
 * The items of a list that is counted. Nothing that matches `where` ever stops matching. The index continues with time
 * and id.
 */
export interface Countable {
  /** Unique within a process: owner, environment and kind. */
  key: string
  collection: Model<Listed>['collection']
  index: string
  where: Record<string, unknown>
  /** Items created before this may have been removed. If null, no items are removed. */
  keptFrom: Date | null
}

/** Many times the clock skew between two processes. */
const marginMs = 60_000

/** The clean-up may have removed items that test keys created before this. */
export const testsKeptFrom = (now: Date, retentionMs: number): Date =>
  new Date(now.getTime() - retentionMs + marginMs)

/** Counts the items created in a time range (a filter; empty: all), up to `max`. */
export const countCreated = (
  { collection, index, where }: Countable,
  createdAt: Record<string, Date>,
  max: number,
): Promise<number> =>
  collection.countDocuments(
    { ...where, ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }) },
    { hint: index, maxTimeMS: longestReadMs, ...(max === Number.POSITIVE_INFINITY ? {} : { limit: max }) },
  )
