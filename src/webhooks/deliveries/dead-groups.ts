import { mongo } from 'mongoose'
import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { deadIn } from './dead-in.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'

/** Two instants, both included. */
export interface Period {
  from: Date
  to: Date
}

/** The DEAD deliveries of one receiver in a period. */
export interface DeadGroup {
  businessId: string
  endpointId: string
  count: number
  /** How many of them are no sandbox ones. */
  live: number
  oldest: Date
  newest: Date
  /** How the last attempt of the newest went; null when it is DEAD no more. */
  lastAttempt: AttemptRecord | null
}

/** What died in a period, those receivers with most first; `isCut` when there are more than are told. */
export interface DeadGroups {
  groups: DeadGroup[]
  isCut: boolean
}

/** More than anybody reads. */
export const mostGroups = 100
/** A page that counts longer helps nobody, and the server has other work. */
const countingMs = 4000
/** MongoDB's MaxTimeMSExpired. */
const tooSlow = 50

type Counted = Omit<DeadGroup, 'businessId' | 'endpointId' | 'lastAttempt'> & {
  _id: { businessId: string; endpointId: string }
}

/**
 * Counts what died in a period, by receiver: at most `mostGroups` of them. Null when there was too much to count in time; a
 * shorter one helps.
 */
export async function groupDead(deps: Pick<Deps, 'Delivery'>, period: Period): Promise<DeadGroups | null> {
  const counted = await countDead(deps, period)
  if (counted === null) return null
  const groups = await Promise.all(
    counted.slice(0, mostGroups).map(async ({ _id, ...figures }) => ({
      ..._id,
      ...figures,
      lastAttempt: await lastAttemptOf(deps, _id.endpointId, period),
    })),
  )
  return { groups, isCut: counted.length > mostGroups }
}

/** Out of the index `deadByTime` alone. */
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
    // One more tells whether there are more.
    { $limit: mostGroups + 1 },
  ]
  try {
    return await pastMongoose(deps.Delivery).aggregate<Counted>(stages, { maxTimeMS: countingMs }).toArray()
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === tooSlow) return null
    throw error
  }
}

async function lastAttemptOf(
  deps: Pick<Deps, 'Delivery'>,
  endpointId: string,
  period: Period,
): Promise<AttemptRecord | null> {
  const newest = await deps.Delivery.findOne(
    { endpointId, ...deadIn(period) },
    { attemptLog: { $slice: -1 } },
  )
    .sort({ deadAt: -1 })
    .lean<Pick<Delivery, 'attemptLog'> | null>()
  return newest?.attemptLog.at(-1) ?? null
}
