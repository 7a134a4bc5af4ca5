import type { PipelineStage } from 'mongoose'
import type { Deps } from '../deps.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** Payments or refunds that were sent to a wallet and whose outcome is not stored yet. */
export interface OpenOutcomes {
  /** At most `maxCounted`. */
  count: number
  /**
   * The age of the oldest open outcome. If there are more than twice `maxCounted`, the age of the oldest one that was
   * read.
   */
  oldestSeconds: number
}

/** Counting further would cost more and reveal nothing new. */
const maxCounted = 1_000

/** Most of these payments are still in progress and finish within a second. */
export const openPayments = (deps: Pick<Deps, 'Intent' | 'now'>): Promise<OpenOutcomes> =>
  summed(deps, 'hold.queryAt', [
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$hold.startedAt' } } },
  ])

export const openRefunds = (deps: Pick<Deps, 'Intent' | 'now'>): Promise<OpenOutcomes> =>
  summed(deps, 'refunds.queryAt', [
    { $unwind: '$refunds' },
    { $match: { 'refunds.queryAt': { $type: 'date' } } },
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$refunds.createdAt' } } },
  ])

/**
 * Reads from both ends of the index, which is ordered by the time of the next query to the wallet. The longer an
 * outcome has been open, the longer the wait for its next query, up to a minute. If there are too many outcomes to read
 * them all, those at the start of the index are the newest, and those at the end have been open for minutes. If no
 * worker is querying the wallet, the oldest are at the start.
 */
async function summed(
  deps: Pick<Deps, 'Intent' | 'now'>,
  queryAt: string,
  sum: PipelineStage[],
): Promise<OpenOutcomes> {
  const from = async (direction: 1 | -1) => {
    const [result] = await deps.Intent.aggregate<{ count: number; oldest: Date }>([
      // With no further condition, MongoDB reads the index in order.
      { $match: { [queryAt]: { $exists: true } } },
      { $sort: { [queryAt]: direction } },
      { $limit: maxCounted },
      ...sum,
    ]).option({ maxTimeMS: queryTimeoutMs })
    return { count: result?.count ?? 0, oldestSeconds: ageOf(deps, result?.oldest) }
  }
  const [first, last] = await Promise.all([from(1), from(-1)])
  return { count: first.count, oldestSeconds: Math.max(first.oldestSeconds, last.oldestSeconds) }
}
