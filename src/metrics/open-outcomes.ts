import type { PipelineStage } from 'mongoose'
import type { Deps } from '../deps.ts'
import { ageOf, longestQuestionMs } from './age.ts'

/** Payments, or refunds, that a wallet was told of and whose outcome is not written down. */
export interface OpenOutcomes {
  /** Up to `mostCounted`. */
  count: number
  oldestSeconds: number
}

/** With so many held, nobody needs to know of more. */
const mostCounted = 1_000

/** Most of them are under way just now and end within a second. */
export const openPayments = (deps: Pick<Deps, 'Intent' | 'now'>): Promise<OpenOutcomes> =>
  summed(deps, [
    { $match: { 'underWay.askAt': { $type: 'date' } } },
    { $limit: mostCounted },
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$underWay.startedAt' } } },
  ])

export const openRefunds = (deps: Pick<Deps, 'Intent' | 'now'>): Promise<OpenOutcomes> =>
  summed(deps, [
    { $match: { 'refunds.askAt': { $type: 'date' } } },
    { $limit: mostCounted },
    { $unwind: '$refunds' },
    { $match: { 'refunds.askAt': { $type: 'date' } } },
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$refunds.createdAt' } } },
  ])

async function summed(deps: Pick<Deps, 'Intent' | 'now'>, pipeline: PipelineStage[]): Promise<OpenOutcomes> {
  const [sum] = await deps.Intent.aggregate<{ count: number; oldest: Date }>(pipeline).option({
    maxTimeMS: longestQuestionMs,
  })
  return { count: sum?.count ?? 0, oldestSeconds: ageOf(deps, sum?.oldest) }
}
