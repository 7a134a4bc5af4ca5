import { deadShownSeconds } from '../../../schemas/jobs.ts'
import { anyTime, spanFilter, type TimeSpan } from '../../input/span.ts'
import { isTooSlow, nativeCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'

/**
 * How long the staff pages show a DEAD delivery by default. Bull Board shows failed jobs for the same length of time.
 */
export const shownDeadMs = deadShownSeconds * 1000

/**
 * A filter for deliveries that died within a span and are still DEAD. The filter uses `deadAt`, which is set only in
 * DEAD deliveries, because with a filter on `status` MongoDB would have to read every document. `$type` is necessary
 * because otherwise MongoDB would not use the partial indexes.
 */
export const deadIn = (span: TimeSpan): { deadAt: object } => ({
  deadAt: { $type: 'date', ...spanFilter('deadAt', span).deadAt },
})

/** Counting stops at this number, so a count of exactly this number means "at least this many". */
export const maxCounted = 100_000

/**
 * Counts the deliveries that are due, those waiting for the time of their next attempt, and those that died within the
 * last `shownDeadMs` and are still DEAD. Uses the partial indexes `open` and `deadByTime`. Each count stops at
 * `maxCounted`.
 */
export async function countBacklog(deps: Pick<Deps, 'Delivery' | 'now'>) {
  const now = deps.now()
  const [due, waiting, dead] = await Promise.all([
    count(deps, { nextAttemptAt: { $type: 'date', $lte: now } }),
    count(deps, { nextAttemptAt: { $type: 'date', $gt: now } }),
    count(deps, deadIn({ from: new Date(now.getTime() - shownDeadMs), to: null })),
  ])
  return { due, waiting, dead }
}

/** The number of DEAD deliveries and the number that are due or waiting for their next attempt. */
export type DeliveryTotals = Awaited<ReturnType<typeof deliveryTotals>>

/** Counts the deliveries of a business or to an endpoint, using indexes only. Each count stops at `maxCounted`. */
export async function deliveryTotals(
  deps: Pick<Deps, 'Delivery'>,
  of: { businessId: string } | { endpointId: string },
) {
  const both = { ...of, sandbox: { $in: [true, false] } }
  const filters =
    'businessId' in of
      ? [
          { ...both, status: 'DEAD' },
          { ...both, status: { $in: ['PENDING', 'RETRYING'] } },
        ]
      : [
          { ...of, ...deadIn(anyTime) },
          { ...of, nextAttemptAt: { $type: 'date' } },
        ]
  const [dead = 0, waiting = 0] = await Promise.all(filters.map((filter) => count(deps, filter)))
  return { dead, waiting }
}

/** Counts an endpoint's deliveries that died within the span and are still DEAD. Stops at `maxCounted`. */
export const countDeadOf = (
  deps: Pick<Deps, 'Delivery'>,
  endpointId: string,
  span: TimeSpan,
): Promise<number> => count(deps, { endpointId, ...deadIn(span) })

/** Counts a business's DEAD deliveries in both environments. Stops at `maxCounted`. */
export const countDeadOfBusiness = (deps: Pick<Deps, 'Delivery'>, businessId: string): Promise<number> =>
  count(deps, { businessId, sandbox: { $in: [true, false] }, status: 'DEAD' })

const count = (deps: Pick<Deps, 'Delivery'>, filter: object): Promise<number> =>
  deps.Delivery.countDocuments(filter, { limit: maxCounted })

/** A period of time. Both ends are included. */
export interface Period {
  from: Date
  to: Date
}

/** One endpoint's deliveries that died within a given period and are still DEAD. */
export interface DeadGroup {
  businessId: string
  endpointId: string
  count: number
  /** How many of these deliveries are live deliveries rather than sandbox deliveries. */
  live: number
  oldest: Date
  newest: Date
  /**
   * The last attempt at the delivery that died last, or null if the deliveries have been re-queued since they were
   * counted.
   */
  lastAttempt: AttemptRecord | null
}

/**
 * DEAD deliveries grouped by endpoint. The largest group comes first. `isCut` is true if there are more groups than
 * `groups` contains.
 */
export type DeadGroups = NonNullable<Awaited<ReturnType<typeof groupDead>>>

/** The maximum number of groups on a page, which is more than anyone reads. */
export const maxGroups = 100
/**
 * The time limit for counting. A staff page that takes longer to load is useless, and longer counting would slow down
 * MongoDB's other work.
 */
const countingMs = 4000

type Counted = Omit<DeadGroup, 'businessId' | 'endpointId' | 'lastAttempt'> & {
  _id: { businessId: string; endpointId: string }
}

/**
 * For at most `maxGroups` endpoints, counts the deliveries that died within a given period and are still DEAD. Returns
 * null if there are too many deliveries to count in time, in which case the caller should use a shorter period.
 */
export async function groupDead(deps: Pick<Deps, 'Delivery'>, period: Period) {
  const counted = await countDead(deps, period)
  if (counted === null) return null
  const groups = await Promise.all(
    counted.slice(0, maxGroups).map(async ({ _id, ...figures }): Promise<DeadGroup> => {
      const died = { endpointId: _id.endpointId, ...deadIn(period) }
      const newest = await deps.Delivery.findOne(died, { attemptLog: { $slice: -1 } })
        .sort({ deadAt: -1 })
        .lean<Pick<Delivery, 'attemptLog'> | null>()
      return { ..._id, ...figures, lastAttempt: newest?.attemptLog.at(-1) ?? null }
    }),
  )
  return { groups, isCut: counted.length > maxGroups }
}

/**
 * Counts DEAD deliveries by endpoint, reading only keys from the `deadByTime` index. Returns null if the time limit is
 * exceeded.
 */
async function countDead(deps: Pick<Deps, 'Delivery'>, period: Period): Promise<Counted[] | null> {
  const stages = [
    { $match: deadIn(period) },
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
    // One extra group is requested, to find out whether there are more than `maxGroups` groups.
    { $limit: maxGroups + 1 },
  ]
  try {
    return await nativeCollection(deps.Delivery)
      .aggregate<Counted>(stages, { maxTimeMS: countingMs })
      .toArray()
  } catch (error) {
    if (isTooSlow(error)) return null
    throw error
  }
}
