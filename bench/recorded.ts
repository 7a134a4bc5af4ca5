import type { mongo } from 'mongoose'
import type { Delivery } from '../src/webhooks/deliveries/delivery.ts'
import { waitFor } from './wait-for.ts'

/**
 * Waits until exactly `count` deliveries exist, all recorded as DELIVERED by their first attempt.
 * @throws {Error} if that takes longer than a minute
 */
export async function allRecorded(database: mongo.Db, count: number, pollMs?: number): Promise<void> {
  const deliveries = database.collection<Delivery>('deliveries')
  const recorded = { status: 'DELIVERED', attempts: 1 } as const
  await waitFor(
    'every delivery to be recorded',
    async () => (await deliveries.countDocuments(recorded)) === count,
    pollMs,
  )
  const all = await deliveries.countDocuments()
  if (all !== count) throw new Error(`${all} deliveries, not ${count}`)
}
