import type { mongo } from 'mongoose'

const dayMs = 86_400_000
const has = (field: string) => ({ [field]: { $exists: true } })

/** Work that is still open, at a time of the service's clock. `isHeld`: it may only be waiting for a time. */
export async function openWork(db: mongo.Db, now: Date): Promise<{ message: string; isHeld: boolean }[]> {
  const active = await db.collection('businesses').distinct('_id', { apiEnabled: true, suspended: false })
  // A provider may have forgotten an older order, so a person decides (docs/operators/wallet-provider.md).
  const forgotten = new Date(now.getTime() - 29 * dayMs)
  // No retry waits longer, so a later delivery is throttled.
  const soon = new Date(now.getTime() + 10_000)
  // The clean-up runs every night at 02:30 UTC.
  const today = new Date(now).setUTCHours(2, 30, 0, 0)
  const lastNight = new Date(today <= now.getTime() ? today : today - dayMs)
  // Its failure will be an event.
  const isFailing = {
    slot: { $type: 'number' },
    active: true,
    businessId: { $in: active.map(String) },
    'reportedFailure.since': null,
    'health.failingSince': { $type: 'date', $lte: new Date(now.getTime() - dayMs) },
    'health.failuresInRow': { $gte: 2 },
  }
  const open: [collection: string, filter: object, isHeld?: boolean][] = [
    ['intents', has('outbox.0')],
    ['intents', { 'hold.validUntil': { $gt: forgotten } }, true],
    ['intents', { refunds: { $elemMatch: { status: 'PENDING', validUntil: { $gt: forgotten } } } }, true],
    // Such intents would expire during the audit.
    ['intents', { status: 'PENDING', 'hold.validUntil': { $not: { $lte: forgotten } } }],
    ['orders', has('outbox.0')],
    ['webhookendpoints', has('outbox.0')],
    ['webhookendpoints', isFailing],
    ['deliveries', { nextAttemptAt: { $ne: null, $lte: soon } }],
    ['deliveries', { nextAttemptAt: { $gt: soon } }, true],
    ['deliveries', { leaseToken: { $ne: null } }],
    ['requeueplans', has('deliveries.0')],
    ['webhookreplays', { running: true }],
    ['retention', { token: { $ne: null } }],
    ['retention', { completedFor: { $lt: lastNight } }],
  ]
  const counts = await Promise.all(
    open.map(async ([collection, filter, isHeld = false]) => {
      const count = await db.collection(collection).countDocuments(filter)
      return count === 0 ? [] : [{ message: `${count} of ${collection} with ${JSON.stringify(filter)}`, isHeld }]
    }),
  )
  return counts.flat()
}
