import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

const dayMs = 86_400_000

/** Open work. `isHeld`: the work may only be waiting for a time. */
export type Left = { message: string; isHeld: boolean }

type Kind = [collection: string, filter: object, isHeld?: boolean]
const has = (field: string) => ({ [field]: { $exists: true } })

/** Work is open if one of these documents exists. `now` is the service's clock. */
function openWork(now: Date, activeBusinesses: string[]): Kind[] {
  // A provider may have forgotten an older order, so a person decides (docs/operators/wallet-provider.md).
  const forgotten = new Date(now.getTime() - 29 * dayMs)
  // No retry waits longer, so a later delivery is throttled.
  const soon = new Date(now.getTime() + 10_000)
  // The clean-up runs every night at 02:30 UTC.
  const today = new Date(now).setUTCHours(2, 30, 0, 0)
  const lastNight = new Date(today <= now.getTime() ? today : today - dayMs)
  return [
    ['intents', has('outbox.0')],
    ['intents', { 'hold.validUntil': { $gt: forgotten } }, true],
    ['intents', { refunds: { $elemMatch: { status: 'PENDING', validUntil: { $gt: forgotten } } } }, true],
    // Such intents would expire during the audit.
    ['intents', { status: 'PENDING', 'hold.validUntil': { $not: { $lte: forgotten } } }],
    ['orders', has('outbox.0')],
    ['webhookendpoints', has('outbox.0')],
    // Their failure will be an event.
    [
      'webhookendpoints',
      {
        slot: { $type: 'number' },
        active: true,
        businessId: { $in: activeBusinesses },
        'reportedFailure.since': null,
        'health.failingSince': { $type: 'date', $lte: new Date(now.getTime() - dayMs) },
        'health.failuresInRow': { $gte: 2 },
      },
    ],
    ['deliveries', { nextAttemptAt: { $ne: null, $lte: soon } }],
    ['deliveries', { nextAttemptAt: { $gt: soon } }, true],
    ['deliveries', { leaseToken: { $ne: null } }],
    ['requeueplans', has('deliveries.0')],
    ['webhookreplays', { running: true }],
    ['retention', { token: { $ne: null } }],
    ['retention', { completedFor: { $lt: lastNight } }],
  ]
}

/** Waits until no work is open. `quietAt` is null if some still is after `seconds`. */
export async function awaitQuiet(
  db: mongo.Db,
  now: () => Date,
  seconds: number,
): Promise<{ quietAt: number | null; left: Left[] }> {
  const deadline = Date.now() + seconds * 1000
  let left = await look(db, now())
  while (left.length > 0 && Date.now() < deadline) {
    await pause(500)
    left = await look(db, now())
  }
  return { quietAt: left.length === 0 ? Date.now() : null, left }
}

async function look(db: mongo.Db, now: Date): Promise<Left[]> {
  const active = await db.collection('businesses').distinct('_id', { apiEnabled: true, suspended: false })
  const counts = await Promise.all(
    openWork(now, active.map(String)).map(async ([collection, filter, isHeld = false]) => {
      const count = await db.collection(collection).countDocuments(filter)
      return count === 0 ? [] : [{ message: `${count} of ${collection} with ${JSON.stringify(filter)}`, isHeld }]
    }),
  )
  return counts.flat()
}
