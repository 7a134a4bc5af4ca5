import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

const LOOK_EVERY_MS = 500
const DAY_MS = 86_400_000

/** Something that is still under way. */
export interface Left {
  /** How many of what, in words. */
  says: string
  /** Whether it may only be waiting for a time: at which its wallet can no longer carry it out, or to which it was put off. */
  isHeld: boolean
}

interface Kind {
  collection: string
  which: object
  isHeld: boolean
}

const some = (collection: string, which: object): Kind => ({ collection, which, isHeld: false })
const held = (collection: string, which: object): Kind => ({ collection, which, isHeld: true })
const has = (field: string) => ({ [field]: { $exists: true } })

/** When the last clean-up was due: every night at 02:30 UTC. */
function lastNight(now: Date): Date {
  const today = new Date(now).setUTCHours(2, 30, 0, 0)
  return new Date(today <= now.getTime() ? today : today - DAY_MS)
}

/** Of an older order a provider may know nothing any more, so that it waits for a person (docs/operators/wallet-provider.md): that, and no other, the checker lets pass. */
const forgotten = (now: Date): Date => new Date(now.getTime() - 29 * DAY_MS)

/** What waits for longer than any wait of the table of attempts has been put off, as its receiver could not take it. */
const soon = (now: Date): Date => new Date(now.getTime() + 10_000)

/** What is under way where there is one of these; `now` by the clock of the service. */
const hold = (now: Date): Kind[] => [
  some('intents', has('outbox.0')),
  held('intents', { 'hold.validUntil': { $gt: forgotten(now) } }),
  held('intents', { refunds: { $elemMatch: { status: 'PENDING', validUntil: { $gt: forgotten(now) } } } }),
  // What is yet to expire would do so while everything is read.
  some('intents', { status: 'PENDING', 'hold.validUntil': { $not: { $lte: forgotten(now) } } }),
  some('orders', has('outbox.0')),
  some('deliveries', { nextAttemptAt: { $ne: null, $lte: soon(now) } }),
  held('deliveries', { nextAttemptAt: { $gt: soon(now) } }),
  some('deliveries', { leaseToken: { $ne: null } }),
  some('deliveries', has('unaudited.0')),
  some('staff', has('unaudited.0')),
  some('staffsessions', has('unaudited.0')),
  some('wallets', { current: { $ne: null } }),
  some('products', has('reservations.0')),
  some('importplans', { open: true }),
  some('retention', { token: { $ne: null } }),
  some('retention', { completedFor: { $lt: lastNight(now) } }),
]

/** Waits until nothing is under way any more, `seconds` at most. Answers since when, or null and what still is. */
export async function awaitQuiet(
  db: mongo.Db,
  now: () => Date,
  seconds: number,
): Promise<{ quietAt: number | null; left: Left[] }> {
  const giveUpAt = Date.now() + seconds * 1000
  let left = await look(db, now())
  while (left.length > 0 && Date.now() < giveUpAt) {
    await pause(LOOK_EVERY_MS)
    left = await look(db, now())
  }
  return { quietAt: left.length === 0 ? Date.now() : null, left }
}

async function look(db: mongo.Db, now: Date): Promise<Left[]> {
  const counts = await Promise.all(
    hold(now).map(async ({ collection, which, isHeld }) => {
      const count = await db.collection(collection).countDocuments(which)
      return count === 0 ? [] : [{ says: `${count} of ${collection} with ${JSON.stringify(which)}`, isHeld }]
    }),
  )
  return counts.flat()
}
