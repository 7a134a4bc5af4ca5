import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

const LOOK_EVERY_MS = 500

const has = (field: string) => ({ [field]: { $exists: true } })

/** What is under way where there is one of these, by collection; `now` by the clock of the service. */
const underWay = (now: Date): [collection: string, which: object][] => [
  ['intents', has('outbox.0')],
  ['intents', { underWay: { $ne: null } }],
  ['intents', { 'refunds.status': 'PENDING' }],
  ['intents', { status: 'PENDING', expiresAt: { $lte: now } }],
  ['orders', has('outbox.0')],
  ['deliveries', { nextAttemptAt: { $ne: null } }],
  ['deliveries', { lease: { $ne: null } }],
  ['deliveries', has('unaudited.0')],
  ['staff', has('unaudited.0')],
  ['staffsessions', has('unaudited.0')],
  ['wallets', { current: { $ne: null } }],
  ['products', has('reservations.0')],
  ['importplans', { open: true }],
  ['retention', { token: { $ne: null } }],
]

/**
 * Waits until nothing is under way any more, `seconds` at most. Answers since when, or null and what still is.
 */
export async function awaitQuiet(
  db: mongo.Db,
  now: () => Date,
  seconds: number,
): Promise<{ quietAt: number | null; left: string[] }> {
  const giveUpAt = Date.now() + seconds * 1000
  let left = await look(db, now())
  while (left.length > 0 && Date.now() < giveUpAt) {
    await pause(LOOK_EVERY_MS)
    left = await look(db, now())
  }
  return { quietAt: left.length === 0 ? Date.now() : null, left }
}

async function look(db: mongo.Db, now: Date): Promise<string[]> {
  const counts = await Promise.all(
    underWay(now).map(async ([collection, which]) => {
      const count = await db.collection(collection).countDocuments(which)
      return count === 0 ? [] : [`${count} of ${collection} with ${JSON.stringify(which)}`]
    }),
  )
  return counts.flat()
}

/** Whether something that is left only waits until its wallet can no longer carry it out. */
export const isHeldForWallet = (left: string): boolean => /underWay|refunds\.status/.test(left)
