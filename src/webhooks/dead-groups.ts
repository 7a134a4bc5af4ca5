import { mongo } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
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

/** More than anybody reads; those with most come first. */
export const mostGroups = 100
/** A page that counts longer helps nobody, and the server has other work. */
const countingMs = 4000
/** MongoDB's MaxTimeMSExpired. */
const tooSlow = 50

type Counted = Omit<DeadGroup, 'businessId' | 'endpointId' | 'lastAttempt'> & {
  _id: { businessId: string; endpointId: string }
}

/**
 * Counts what died in a period, by receiver: at most `mostGroups`, those with most first. Null when there was too much to
 * count in time; a shorter one helps.
 */
export async function groupDead(deps: Pick<Deps, 'Delivery'>, period: Period): Promise<DeadGroup[] | null> {
  const counted = await countDead(deps, period)
  if (counted === null) return null
  return Promise.all(
    counted.map(async ({ _id, ...figures }) => ({
      ..._id,
      ...figures,
      lastAttempt: await lastAttemptOf(deps, _id.endpointId, period),
    })),
  )
}

/** Out of the index `deadByTime` alone. `$type` says nothing new, but without it MongoDB reads every document. */
async function countDead(deps: Pick<Deps, 'Delivery'>, { from, to }: Period): Promise<Counted[] | null> {
  const stages = [
    { $match: { deadAt: { $type: 'date', $gte: from, $lte: to } } },
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
    { $limit: mostGroups },
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
  { from, to }: Period,
): Promise<AttemptRecord | null> {
  const newest = await deps.Delivery.findOne(
    { endpointId, deadAt: { $type: 'date', $gte: from, $lte: to } },
    { attemptLog: { $slice: -1 } },
  )
    .sort({ deadAt: -1 })
    .lean<Pick<Delivery, 'attemptLog'> | null>()
  return newest?.attemptLog.at(-1) ?? null
}
