import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import { queueNames } from '../schemas/jobs.ts'
import type { Intent } from '../src/intents/intent.ts'
import { newId } from '../src/platform/ids.ts'
import type { RetentionRecord } from '../src/retention/record.ts'
import type { Delivery } from '../src/webhooks/deliveries/delivery.ts'
import { endpointIdOf, makeDeliveryId } from '../src/webhooks/deliveries/delivery.ts'
import { alternate, type Benchmark } from './benchmark.ts'
import { addCopies, ownOf, takeSample } from './copies.ts'
import { createSteadily, responseMs, type Setting, withService } from './setting.ts'
import { figureLine, waitLines } from './table.ts'
import { type Waits, waitsOf } from './times.ts'
import { firstDelivered, waitFor } from './wait-for.ts'

const PER_SECOND = 100
const MERCHANTS = 20
/**
 * Each side's first seconds, which aren't measured. By then the clean-up has done its start-up work, which a real night
 * spreads over hours.
 */
const SETTLE_SECONDS = 5
const DAY_MS = 86_400_000
/** The sandbox keeps 30 days. The old documents are from the 30 days before. */
const YOUNGEST_MS = 31 * DAY_MS

type Traffic = Waits & { removedPerSecond: number }

export const cleanUp: Benchmark = {
  describe: ({ most, trafficSeconds }) =>
    `100 creates/s beside the clean-up of ${most} old test documents ÷ without; one \`web\`, one \`worker\` and another one for the clean-up, ${trafficSeconds} s in turns`,
  takesSeconds: ({ rounds, most, trafficSeconds }) =>
    15 + most / 12_000 + rounds * (2 * (trafficSeconds + SETTLE_SECONDS) + 8),
  async measure(bench) {
    const others = queueNames.filter((name) => name !== 'retention')
    const environment = { WORKER_QUEUES: others.join(',') }
    const wanted = { environment, merchants: MERCHANTS, events: ['payment.created' as const] }
    const pairs = await withService(bench, 'clean-up', wanted, async (setting) => {
      const { service, merchants } = setting
      const create = async (seconds: number): Promise<Waits> =>
        waitsOf(responseMs(await createSteadily(bench, service, seconds, PER_SECOND, merchants)))
      const night = new Queue('retention', { connection: { url: bench.redisUrl }, prefix: service.name })
      await create(1)
      await addOld(setting, bench.most)
      await create(10)
      const measure = async (): Promise<Waits> => {
        await create(SETTLE_SECONDS)
        return create(bench.trafficSeconds)
      }
      const measured = await alternate(
        bench.rounds,
        () => beside(setting, night, measure),
        async () => ({ ...(await measure()), removedPerSecond: 0 }),
      )
      await night.close()
      return measured
    })
    return [
      ...waitLines('clean-up: the create', pairs, '≤ 1.5'),
      figureLine('  old documents removed/s', pairs, ({ removedPerSecond }) => removedPerSecond),
    ]
  },
}

async function addOld(setting: Setting, count: number): Promise<void> {
  const { database, merchants } = setting
  const delivery = await firstDelivered(database, merchants[0]?.businessId ?? '')
  const sample = await takeSample(setting, true)
  const olds = Array.from({ length: count / 2 }, (_, index) => ({
    ...ownOf(),
    businessId: merchants[index % MERCHANTS]?.businessId ?? '',
    createdAt: new Date(Date.now() - YOUNGEST_MS - (index / count) * 60 * DAY_MS),
  }))
  await addCopies<Intent>(database.collection('intents'), olds.length, (index) => ({
    ...sample,
    ...olds[index],
  }))
  await addCopies<Delivery>(database.collection('deliveries'), olds.length, (index) => {
    const { businessId = '', createdAt = delivery.createdAt, referenceNumber = '' } = olds.at(index) ?? {}
    const _id = makeDeliveryId(newId(), endpointIdOf(delivery._id))
    return { ...delivery, _id, businessId, createdAt, referenceNumber }
  })
}

async function beside(
  { database, service }: Setting,
  night: Queue,
  act: () => Promise<Waits>,
): Promise<Traffic> {
  const records = database.collection<RetentionRecord>('retention')
  // The clean-up has never completed, so it is due.
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
