import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import { queueNames } from '../schemas/jobs.ts'
import type { Intent } from '../src/intents/intent.ts'
import { newId } from '../src/platform/ids.ts'
import type { RetentionRecord } from '../src/retention/record.ts'
import type { Delivery } from '../src/webhooks/deliveries/delivery.ts'
import { deliveryId, endpointIdOf } from '../src/webhooks/deliveries/delivery-job.ts'
import { addCopies, ownOf, takeSample, withDatabase } from './copies.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitFor } from './wait-for.ts'
import { actSteadily, responseMs, type Service, startService } from './web-and-worker.ts'
import { startWitness } from './witness.ts'

const PER_SECOND = 100
const MERCHANTS = 20
const WARM_UP_SECONDS = 10
/**
 * The first seconds of each side, which are not measured. The clean-up has then finished its start, whose cost a night
 * spreads over hours.
 */
export const SETTLE_SECONDS = 5
const DAY_MS = 86_400_000
/** The sandbox keeps 30 days. The old documents are from the 30 days before. */
const YOUNGEST_MS = 31 * DAY_MS

/** The durations of creates in milliseconds, and the old documents removed per second. */
export interface Traffic {
  p50: number
  p99: number
  removedPerSecond: number
}

type Waits = Omit<Traffic, 'removedPerSecond'>

/** Creates at a steady rate, alternately beside the clean-up (`service`) and without it (`bare`). */
export async function measureCleanUp(bench: Bench): Promise<Pair<Traffic>[]> {
  const witness = await startWitness(bench.runtime, 'clean-up-endpoints', 1)
  const others = queueNames.filter((name) => name !== 'retention')
  const service = await startService(bench, 'clean-up', {
    WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts,
    WORKER_QUEUES: others.join(','),
  })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, MERCHANTS, 'test')
  for (const merchant of merchants)
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[0] ?? 0), ['payment.created'])
  const streams = [{ perSecond: PER_SECOND, apiKeys: merchants.map(({ apiKey }) => apiKey) }]
  const create = async (seconds: number): Promise<Waits> => {
    const waits = responseMs(await actSteadily(bench, service.webUrls, seconds, streams))
    return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
  }
  const night = new Queue('retention', { connection: { url: bench.redisUrl }, prefix: service.queuePrefix })
  const pairs = await withDatabase(service.mongodbUrl, async (database) => {
    await create(1)
    await addOld(database, service, merchants, bench.most)
    await create(WARM_UP_SECONDS)
    const measure = async (): Promise<Waits> => {
      await create(SETTLE_SECONDS)
      return create(bench.trafficSeconds)
    }
    return alternate(
      bench.rounds,
      () => beside(database, service, night, measure),
      async () => ({ ...(await measure()), removedPerSecond: 0 }),
    )
  })
  await night.close()
  await service.end()
  await witness.end()
  return pairs
}

/**
 * Adds old test intents with one delivery each, `count` documents in all. They are copies of documents of the service.
 */
async function addOld(database: mongo.Db, service: Service, merchants: Merchant[], count: number): Promise<void> {
  const [first] = merchants
  const deliveries = database.collection<Delivery>('deliveries')
  const delivered = { status: 'DELIVERED', leaseToken: null } as const
  await waitFor('a delivery', async () => (await deliveries.findOne(delivered)) !== null)
  const delivery = await deliveries.findOne(delivered)
  if (first === undefined || delivery === null) throw new Error('There is nothing to copy')
  const sample = await takeSample(database, service.webUrl, first, true)
  const olds = Array.from({ length: count / 2 }, (_, index) => ({
    ...ownOf(),
    businessId: merchants[index % MERCHANTS]?.businessId ?? '',
    createdAt: new Date(Date.now() - YOUNGEST_MS - (index / count) * 60 * DAY_MS),
  }))
  await addCopies<Intent>(database.collection('intents'), olds.length, (index) => ({
    ...sample,
    ...olds[index],
  }))
  await addCopies<Delivery>(deliveries, olds.length, (index) => {
    const { businessId = '', createdAt = delivery.createdAt, referenceNumber = '' } = olds.at(index) ?? {}
    const _id = deliveryId(newId(), endpointIdOf(delivery._id))
    return { ...delivery, _id, businessId, createdAt, referenceNumber }
  })
}

/** Runs `act` while the clean-up works. */
async function beside(database: mongo.Db, service: Service, night: Queue, act: () => Promise<Waits>): Promise<Traffic> {
  const records = database.collection<RetentionRecord>('retention')
  // The clean-up has never been completed, so it is due.
  const unused = { leaseToken: null, leaseEndsAt: new Date(0), pass: null }
  await records.updateOne(
    { _id: 'nightly' },
    { $set: { completedFor: new Date(0) }, $setOnInsert: unused },
    { upsert: true },
  )
  const before = await countOld(database)
  const cleaner = service.startWorker({ WORKER_QUEUES: 'retention' })
  await night.add('retention', {})
  await waitFor('the clean-up to begin', async () => (await countOld(database)) < before)
  const begun = await countOld(database)
  const begunAt = performance.now()
  const measured = await act()
  const seconds = (performance.now() - begunAt) / 1000
  const left = await countOld(database)
  if (left === 0) throw new Error('The clean-up ended before the measurement. Increase --most')
  if (left === begun) throw new Error('The clean-up removed nothing beside the creates')
  // If the clean-up had stopped meanwhile, the ratio would look too good.
  await waitFor('the clean-up to go on', async () => (await countOld(database)) < left)
  await cleaner.end()
  return { ...measured, removedPerSecond: (begun - left) / seconds }
}

const countOld = async (database: mongo.Db): Promise<number> => {
  const old = { createdAt: { $lt: new Date(Date.now() - YOUNGEST_MS) } }
  const counts = await Promise.all([
    database.collection('intents').countDocuments(old),
    database.collection('deliveries').countDocuments(old),
  ])
  return counts.reduce((sum, one) => sum + one, 0)
}
