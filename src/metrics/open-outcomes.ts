import type { PipelineStage } from 'mongoose'
import type { Deps } from '../deps.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** Describes the payments or refunds that have been sent to a wallet but whose outcomes are not stored yet. */
export interface OpenOutcomes {
  /** The number of open outcomes, which are counted in at most `maxCounted` intents. */
  count: number
  /**
   * The age of the oldest open outcome. If more than twice `maxCounted` intents have open outcomes, this is the age of
   * the oldest outcome that was read.
   */
  oldestSeconds: number
}

/** The maximum number of intents to read from each end of the index. Reading more would not reveal anything new. */
const maxCounted = 1_000

/** Counts the payments with an open outcome. Most of them are still in progress and complete within a second. */
export const openPayments = (deps: Pick<Deps, 'Intent' | 'now'>): Promise<OpenOutcomes> =>
  summed(deps, 'hold.queryAt', [{ $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$hold.startedAt' } } }])

export const openRefunds = (deps: Pick<Deps, 'Intent' | 'now'>): Promise<OpenOutcomes> =>
  summed(deps, 'refunds.queryAt', [
    { $unwind: '$refunds' },
    { $match: { 'refunds.queryAt': { $type: 'date' } } },
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$refunds.createdAt' } } },
  ])

/**
 * Reads from both ends of the index, which is ordered by the time of the next query to the wallet. The longer an
 * outcome has been open, the longer the wait before its next query, up to a minute. Usually, therefore, the newest
 * outcomes are at the start of the index, and the outcomes at the end have been open for minutes. However, if no worker
 * is querying the wallet, the oldest outcomes are at the start. The order matters only if there are too many outcomes
 * to read all of them.
 */
async function summed(
  deps: Pick<Deps, 'Intent' | 'now'>,
  queryAt: string,
  sum: PipelineStage[],
): Promise<OpenOutcomes> {
  const from = async (direction: 1 | -1) => {
    const [result] = await deps.Intent.aggregate<{ count: number; oldest: Date }>([
      // The filter has no other conditions, so that MongoDB reads the index in order.
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
