import type { Model } from 'mongoose'
import { type Listed, longestReadMs } from '../../input/pagination.ts'

/** What is counted: all that an index has under `where`, which nothing leaves; after that the index goes on with time and id. */
export interface Countable {
  /** Names it in its process: whose it is, in which environment, and of which kind. */
  key: string
  collection: Model<Listed>['collection']
  index: string
  where: Record<string, unknown>
  /** What was made before then may have been taken away; null: all stays. */
  keptFrom: Date | null
}

/** The clocks of two processes, many times. */
const marginMs = 60_000

/** What test keys made before then the clean-up may have taken away. */
export const testsKeptFrom = (now: Date, retentionMs: number): Date =>
  new Date(now.getTime() - retentionMs + marginMs)

/** How many were made in a time (a filter; empty: ever), counted up to `most`. */
export const countMade = (
  { collection, index, where }: Countable,
  createdAt: Record<string, Date>,
  most: number,
): Promise<number> =>
  collection.countDocuments(
    { ...where, ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }) },
    { hint: index, maxTimeMS: longestReadMs, ...(most === Number.POSITIVE_INFINITY ? {} : { limit: most }) },
  )
