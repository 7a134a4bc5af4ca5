import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import type { Intent } from '../src/intents/intent.ts'
import { queueNames } from '../src/queues/jobs.ts'
import type { RetentionRecord } from '../src/retention/record.ts'
import { newId } from '../src/security/ids.ts'
import type { Delivery } from '../src/webhooks/deliveries/delivery.ts'
import { deliveryId, endpointIdOf } from '../src/webhooks/deliveries/delivery-id.ts'
import { addCopies, ownOf, takeSample, withBooks } from './copies.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitFor } from './wait-for.ts'
import { createPath, createSteadily, type Service, startService } from './web-and-worker.ts'
import { startWitness } from './witness.ts'

const PER_SECOND = 100
const MERCHANTS = 20
const WARM_UP_SECONDS = 10
/** Each side's own: a process that cleans has just started and counted, and a night lasts longer than that. */
export const SETTLE_SECONDS = 5
const DAY_MS = 86_400_000
/** The sandbox keeps 30 days; these are of the 30 before. */
const YOUNGEST_MS = 31 * DAY_MS

/** How long creates took, in milliseconds, and how many old documents went in a second. */
export interface Traffic {
  p50: number
  p99: number
  gonePerSecond: number
}

type Waits = Omit<Traffic, 'gonePerSecond'>

/** Creates at a steady rate beside the clean-up (`service`) and without it (`bare`), in turns. */
export async function measureCleanUp(bench: Bench): Promise<Pair<Traffic>[]> {
  const witness = await startWitness(bench.where, 'clean-up-receivers', 1)
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
    const { answers } = await createSteadily(bench.where, {
      origin: service.webUrl,
      path: createPath,
      seconds,
      streams,
    })
    const waits = answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt)
    return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
  }
  const night = new Queue('retention', { connection: { url: bench.redisUrl }, prefix: service.queuePrefix })
  const pairs = await withBooks(service.mongodbUrl, async (books) => {
    await create(1)
    await addOld(books, service, merchants, bench.most)
    await create(WARM_UP_SECONDS)
    const measure = async (): Promise<Waits> => {
      await create(SETTLE_SECONDS)
      return create(bench.trafficSeconds)
    }
    return alternate(
      bench.rounds,
      () => beside(books, service, night, measure),
      async () => ({ ...(await measure()), gonePerSecond: 0 }),
    )
  })
  await night.close()
  await service.end()
  await witness.end()
  return pairs
}

/** Test intents that are old, and one delivery of each: so many documents in all. Copies of what the service made. */
async function addOld(
  books: mongo.Db,
  service: Service,
  merchants: Merchant[],
  count: number,
): Promise<void> {
  const [first] = merchants
  const deliveries = books.collection<Delivery>('deliveries')
  const delivered = { status: 'DELIVERED', leaseToken: null } as const
  await waitFor('a delivery', async () => (await deliveries.findOne(delivered)) !== null)
  const told = await deliveries.findOne(delivered)
  if (first === undefined || told === null) throw new Error('There is nothing to copy')
  const sample = await takeSample(books, service.webUrl, first, true)
  const olds = Array.from({ length: count / 2 }, (_, place) => ({
    ...ownOf(),
    businessId: merchants[place % MERCHANTS]?.businessId ?? '',
    createdAt: new Date(Date.now() - YOUNGEST_MS - (place / count) * 60 * DAY_MS),
  }))
  await addCopies<Intent>(books.collection('intents'), olds.length, (place) => ({
    ...sample,
    ...olds[place],
  }))
  await addCopies<Delivery>(deliveries, olds.length, (place) => {
    const { businessId = '', createdAt = told.createdAt, referenceNumber = '' } = olds.at(place) ?? {}
    const _id = deliveryId(newId(), endpointIdOf(told._id))
    return { ...told, _id, businessId, createdAt, referenceNumber }
  })
}

/** Does something while the clean-up is at it. */
async function beside(
  books: mongo.Db,
  service: Service,
  night: Queue,
  act: () => Promise<Waits>,
): Promise<Traffic> {
  const records = books.collection<RetentionRecord>('retention')
  // Owed since ever.
  await records.updateOne({ _id: 'nightly' }, { $set: { completedFor: new Date(0) } })
  const before = await countOld(books)
  const cleaner = service.startWorker({ WORKER_QUEUES: 'retention' })
  await night.add('retention', {})
  await waitFor('the clean-up to begin', async () => (await countOld(books)) < before)
  const begun = await countOld(books)
  const begunAt = performance.now()
  const measured = await act()
  const seconds = (performance.now() - begunAt) / 1000
  const left = await countOld(books)
  if (left === 0) throw new Error('The clean-up was done before its time: --most is too small')
  if (left === begun) throw new Error('The clean-up stood still beside the creates')
  // One that broke off meanwhile would make the ratio too good.
  await waitFor('the clean-up to go on', async () => (await countOld(books)) < left)
  await cleaner.end()
  return { ...measured, gonePerSecond: (begun - left) / seconds }
}

const countOld = async (books: mongo.Db): Promise<number> => {
  const old = { createdAt: { $lt: new Date(Date.now() - YOUNGEST_MS) } }
  const counts = await Promise.all([
    books.collection('intents').countDocuments(old),
    books.collection('deliveries').countDocuments(old),
  ])
  return counts.reduce((sum, one) => sum + one, 0)
}
