import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import type { Delivery } from '../src/webhooks/deliveries/delivery.ts'

const LIMIT_MS = 60_000

/** @throws {Error} if that takes longer than a minute */
export async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited too long for ${what}`)
    await pause(50)
  }
}

/** @throws {Error} if the count doesn't change for a minute */
export async function waitForCount(
  what: string,
  wanted: number,
  count: () => Promise<number>,
  pollMs = 250,
): Promise<void> {
  for (let [seen, deadline] = [-1, 0]; ; await pause(pollMs)) {
    const now = await count()
    if (now === wanted) return
    if (now !== seen) deadline = performance.now() + LIMIT_MS
    seen = now
    if (performance.now() > deadline) throw new Error(`${seen}, not ${wanted} ${what}`)
  }
}

/**
 * Waits until exactly `count` deliveries exist, all recorded as DELIVERED by their first attempt.
 * @throws {Error} if no more are recorded for a minute
 */
export async function allRecorded(database: mongo.Db, count: number, pollMs?: number): Promise<void> {
  const deliveries = database.collection<Delivery>('deliveries')
  const recorded = () => deliveries.countDocuments({ status: 'DELIVERED', attempts: 1 })
  await waitForCount('deliveries are recorded', count, recorded, pollMs)
  const all = await deliveries.countDocuments()
  if (all !== count) throw new Error(`${all} deliveries, not ${count}`)
}

export async function firstDelivered(database: mongo.Db, businessId: string): Promise<Delivery> {
  const deliveries = database.collection<Delivery>('deliveries')
  const delivered = { businessId, status: 'DELIVERED', leaseToken: null } as const
  await waitFor('a delivery', async () => (await deliveries.findOne(delivered)) !== null)
  return (await deliveries.findOne(delivered)) as Delivery
}
