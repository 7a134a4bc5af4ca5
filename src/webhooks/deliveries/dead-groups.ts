import type { Deps } from '../../deps.ts'
import { isTooSlow, nativeCollection } from '../../mongo/collection.ts'
import { deadIn } from './dead-in.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'

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
export interface DeadGroups {
  groups: DeadGroup[]
  isCut: boolean
}

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
export async function groupDead(deps: Pick<Deps, 'Delivery'>, period: Period): Promise<DeadGroups | null> {
  const counted = await countDead(deps, period)
  if (counted === null) return null
  const groups = await Promise.all(
    counted.slice(0, maxGroups).map(async ({ _id, ...figures }) => ({
      ..._id,
      ...figures,
      lastAttempt: await lastAttemptOf(deps, _id.endpointId, period),
    })),
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
    return await nativeCollection(deps.Delivery).aggregate<Counted>(stages, { maxTimeMS: countingMs }).toArray()
  } catch (error) {
    if (isTooSlow(error)) return null
    throw error
  }
}

async function lastAttemptOf(
  deps: Pick<Deps, 'Delivery'>,
  endpointId: string,
  period: Period,
): Promise<AttemptRecord | null> {
  const newest = await deps.Delivery.findOne({ endpointId, ...deadIn(period) }, { attemptLog: { $slice: -1 } })
    .sort({ deadAt: -1 })
    .lean<Pick<Delivery, 'attemptLog'> | null>()
  return newest?.attemptLog.at(-1) ?? null
}
