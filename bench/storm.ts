import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { newExpiryJob } from '../src/intents/expire.ts'
import type { Intent } from '../src/intents/intent.ts'
import { addJobs, mergeJobs } from '../src/queues/producer.ts'
import { countDelivered } from './arrivals.ts'
import { alternate, type Bench, type Benchmark } from './benchmark.ts'
import { addCopies, ownOf, takeSample } from './copies.ts'
import { type Setting, startBare, withService } from './setting.ts'
import { aloneLine, comparedLine, spread } from './table.ts'
import { waitFor } from './wait-for.ts'

const MERCHANTS = 20
/** Long enough to write all intents and their jobs before the first intent expires. */
const LEAD_MS = 20_000
/** These come first and aren't measured, because the first storm meets a worker that has compiled nothing yet. */
const WARM_UP_STORMS = 1
const queue = 'intent-expiry'

const pending = { status: 'PENDING', cancelsAt: { $gt: new Date(0) } } as const
const open = { nextAttemptAt: { $type: 'date' } } as const

/** Seconds since the last intent expired. */
interface Storm {
  /** Ends when all intents are CANCELLED in MongoDB. */
  ended: number
  /** Ends when the last `payment.expired` has arrived. NaN on the bare side, which sends none. */
  delivered: number
}

/** How long it takes to cancel intents that expire within one second, and to run as many bare updates. */
export const storm: Benchmark = {
  describe: (options) =>
    `${options.storm} intents that expire within one second, one \`worker\`, from the second's end ÷ as many guarded findOneAndUpdate, 100 at a time`,
  takesSeconds: (options) => 6 + (WARM_UP_STORMS + options.rounds) * (21 + options.storm / 600),
  async measure(bench) {
    const wanted = { merchants: MERCHANTS, events: ['payment.expired' as const] }
    const pairs = await withService(bench, 'storm', wanted, async (setting) => {
      const { service, merchants } = setting
      const jobs = new Queue(queue, { connection: { url: bench.redisUrl }, prefix: service.name })
      const bare = await startBare(bench, 'expire', 'storm')
      const sample = await takeSample(setting)
      const draft = (dueAt: number, index: number): Intent => {
        const expiresAt = new Date(dueAt + Math.floor((index / bench.storm) * 1000))
        const businessId = merchants[index % MERCHANTS]?.businessId ?? ''
        return { ...sample, ...ownOf(), businessId, expiresAt, cancelsAt: expiresAt }
      }
      const measured = await alternate(
        WARM_UP_STORMS + bench.rounds,
        () => expire(bench, setting, jobs, draft),
        () => updateBare(bench, setting, bare.origin, draft),
      )
      await Promise.all([jobs.close(), bare.end()])
      return measured.slice(WARM_UP_STORMS)
    })
    const delivered = pairs.map(({ service }) => service.delivered)
    return [
      comparedLine('storm, s until all are CANCELLED', pairs, ({ ended }) => ended, '≤ 20 s'),
      aloneLine('  s until all payment.expired arrived', spread(delivered, 1)),
    ]
  },
}

type Draft = (dueAt: number, index: number) => Intent

async function expire(
  bench: Bench,
  { database, arrivals }: Setting,
  jobs: Queue,
  draft: Draft,
): Promise<Storm> {
  const dueAt = Date.now() + LEAD_MS
  const intents = database.collection<Intent>('intents')
  const due = Array.from({ length: bench.storm }, (_, index) => draft(dueAt, index))
  await addCopies(intents, bench.storm, (index) => due.at(index) as Intent)
  const now = new Date()
  // As the relay does for `payment.created`.
  const expiries = due.map((intent) => newExpiryJob(intent, now))
  await addJobs(jobs, queue, mergeJobs(queue, expiries))
  if (Date.now() > dueAt) throw new Error('The intents were not written before they expired')
  const references = new Set(due.map(({ referenceNumber }) => referenceNumber))
  const since = (): number => (Date.now() - dueAt - 1000) / 1000
  const arrived = async (): Promise<number> => countDelivered((await arrivals.seen()).arrivals, references)
  await pause(dueAt + 1000 - Date.now())
  await waitFor('all to be CANCELLED', async () => (await intents.findOne(pending)) === null)
  const ended = since()
  await waitFor('all events to be delivered', async () => (await arrived()) === bench.storm)
  const delivered = since()
  const deliveries = database.collection('deliveries')
  await waitFor('every delivery to be recorded', async () => (await deliveries.findOne(open)) === null)
  // A recorded delivery isn't repeated, so a second arrival would be there by now.
  await arrived()
  await arrivals.forget()
  await intents.deleteMany({})
  return { ended, delivered }
}

async function updateBare(bench: Bench, { database }: Setting, origin: string, draft: Draft): Promise<Storm> {
  const bare = database.collection<Intent>('bare')
  await addCopies(bare, bench.storm, (index) => draft(Date.now(), index))
  const response = await fetch(origin, { method: 'POST' })
  const { cancelled, seconds } = (await response.json()) as { cancelled: number; seconds: number }
  if (cancelled !== bench.storm) throw new Error(`The bare route cancelled ${cancelled} of ${bench.storm}`)
  await bare.drop()
  return { ended: seconds, delivered: Number.NaN }
}
