import { deadJobSeconds } from '../../../schemas/jobs.ts'
import { anyTimeSpan, spanFilter, type TimeSpan } from '../../input/span.ts'
import { isMaxTimeError, rawCollection } from '../../mongo/collection.ts'
import { readTimeoutMs } from '../../mongo/connect.ts'
import type { Deps } from '../../platform/deps.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'

/** Bull Board shows failed jobs for the same period. */
export const deadVisibleMs = deadJobSeconds * 1000

/** MongoDB uses a partial index only if the filter has `$type`. */
export const deadFilter = (span: TimeSpan): { deadAt: object } => ({
  deadAt: { $type: 'date', ...spanFilter('deadAt', span).deadAt },
})

type Reads = Pick<Deps, 'Delivery'>

/** A count that reaches this means "at least this many". */
export const maxBacklogCount = 100_000

export async function countBacklog(deps: Pick<Deps, 'Delivery' | 'now'>) {
  const now = deps.now()
  const [due, waiting, dead] = await Promise.all([
    count(deps, { nextAttemptAt: { $type: 'date', $lte: now } }),
    count(deps, { nextAttemptAt: { $type: 'date', $gt: now } }),
    count(deps, deadFilter({ from: new Date(now.getTime() - deadVisibleMs), to: null })),
  ])
  return { due, waiting, dead }
}

export type DeliveryTotals = Awaited<ReturnType<typeof countDeliveries>>

/** Reads only index keys. */
export async function countDeliveries(deps: Reads, of: { businessId: string } | { endpointId: string }) {
  const both = { ...of, sandbox: { $in: [true, false] } }
  const filters =
    'businessId' in of
      ? [
          { ...both, status: 'DEAD' },
          { ...both, status: { $in: ['PENDING', 'RETRYING'] } },
        ]
      : [
          { ...of, ...deadFilter(anyTimeSpan) },
          { ...of, nextAttemptAt: { $type: 'date' } },
        ]
  const [dead = 0, waiting = 0] = await Promise.all(filters.map((filter) => count(deps, filter)))
  return { dead, waiting }
}

export const countEndpointDead = (deps: Reads, endpointId: string, span: TimeSpan): Promise<number> =>
  count(deps, { endpointId, ...deadFilter(span) })

export const countDeadDeliveries = (deps: Reads, businessId: string): Promise<number> =>
  count(deps, { businessId, sandbox: { $in: [true, false] }, status: 'DEAD' })

const count = (deps: Reads, filter: object): Promise<number> =>
  deps.Delivery.countDocuments(filter, { limit: maxBacklogCount })

export type DeadPeriod = Record<'from' | 'to', Date>

export interface DeadGroup {
  businessId: string
  endpointId: string
  count: number
  live: number
  oldest: Date
  newest: Date
  /** The newest delivery's last attempt. Null if it was just re-queued. */
  lastAttempt: AttemptRecord | null
}

export type DeadGroups = NonNullable<Awaited<ReturnType<typeof groupDead>>>

const maxGroups = 100

type Counted = Omit<DeadGroup, 'businessId' | 'endpointId' | 'lastAttempt'> & {
  _id: { businessId: string; endpointId: string }
}

/** Returns the largest group first, or null if counting takes too long. */
export async function groupDead(deps: Reads, period: DeadPeriod) {
  const counted = await countDead(deps, period)
  if (counted === null) return null
  const groups = await Promise.all(
    counted.slice(0, maxGroups).map(async ({ _id, ...figures }): Promise<DeadGroup> => {
      const died = { endpointId: _id.endpointId, ...deadFilter(period) }
      const newest = await deps.Delivery.findOne(died, { attemptLog: { $slice: -1 } })
        .sort({ deadAt: -1 })
        .lean<Pick<Delivery, 'attemptLog'> | null>()
      return { ..._id, ...figures, lastAttempt: newest?.attemptLog.at(-1) ?? null }
    }),
  )
  return { groups, isCut: counted.length > maxGroups }
}

/** Returns null if counting takes too long. */
async function countDead(deps: Reads, period: DeadPeriod): Promise<Counted[] | null> {
  const stages = [
    { $match: deadFilter(period) },
    {
      $group: {
        _id: { businessId: '$businessId', endpointId: '$endpointId' },
        count: { $sum: 1 },
        live: { $sum: { $cond: ['$sandbox', 0, 1] } },
        oldest: { $min: '$deadAt' },
        newest: { $max: '$deadAt' },
      },
    },
    { $sort: { count: -1, _id: 1 } },
    // The extra group shows whether groups were left out.
    { $limit: maxGroups + 1 },
  ]
  try {
    return await rawCollection(deps.Delivery)
      .aggregate<Counted>(stages, { maxTimeMS: readTimeoutMs })
      .toArray()
  } catch (error) {
    if (isMaxTimeError(error)) return null
    throw error
  }
}
