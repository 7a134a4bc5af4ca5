import type { PipelineStage } from 'mongoose'
import type { Deps } from '../deps.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** The payments, or refunds, that were sent to a wallet and whose outcome is not stored yet. */
export interface OpenOutcomes {
  /** At most `maxCounted`. */
  count: number
  /** The age of the oldest one. With more than twice `maxCounted` of them, that of the oldest one read. */
  oldestSeconds: number
}

/** A higher count would cost more and say nothing new. */
const maxCounted = 1_000

/** Most of these payments are running, and end within a second. */
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
 * Reads from both ends of the index. The longer an outcome is open, the later its next query to the wallet, up to a
 * minute. If there are too many to read all, the first are the newest, and the last have been open for minutes. If no
 * worker queries the wallet, the oldest are the first.
 */
async function summed(
  deps: Pick<Deps, 'Intent' | 'now'>,
  queryAt: string,
  sum: PipelineStage[],
): Promise<OpenOutcomes> {
  const from = async (direction: 1 | -1) => {
    const [result] = await deps.Intent.aggregate<{ count: number; oldest: Date }>([
      // Without a further condition, MongoDB reads the index in its order.
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
