import type { PipelineStage } from 'mongoose'
import type { Deps } from '../deps.ts'
import { ageOf } from './age.ts'
import { queryTimeoutMs } from './figure.ts'

/** Payments, or refunds, that a wallet was told of and whose outcome is not written down. */
export interface OpenOutcomes {
  /** Up to `mostCounted`. */
  count: number
  /** Of more than twice `mostCounted`, of the oldest one that was looked at. */
  oldestSeconds: number
}

/** With so many held, nobody needs to know of more. */
const mostCounted = 1_000

/** Most of them are under way just now and end within a second. */
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
 * Looks from both ends of the index. The longer one is open, the later it is asked again, up to a minute: so where there are too many, the
 * first are the newest, and the last have been open for minutes. Where nobody asks, the oldest are the first.
 */
async function summed(
  deps: Pick<Deps, 'Intent' | 'now'>,
  queryAt: string,
  sum: PipelineStage[],
): Promise<OpenOutcomes> {
  const from = async (direction: 1 | -1) => {
    const [answer] = await deps.Intent.aggregate<{ count: number; oldest: Date }>([
      // As nothing more is asked of it, the index is read in its order.
      { $match: { [queryAt]: { $exists: true } } },
      { $sort: { [queryAt]: direction } },
      { $limit: mostCounted },
      ...sum,
    ]).option({ maxTimeMS: queryTimeoutMs })
    return { count: answer?.count ?? 0, oldestSeconds: ageOf(deps, answer?.oldest) }
  }
  const [first, last] = await Promise.all([from(1), from(-1)])
  return { count: first.count, oldestSeconds: Math.max(first.oldestSeconds, last.oldestSeconds) }
}
