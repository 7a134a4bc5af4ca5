import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { expiryJob } from '../src/intents/expire.ts'
import type { Intent } from '../src/intents/intent.ts'
import { addAll, merged } from '../src/queues/producer.ts'
import { addCopies, ownOf, takeSample, withDatabase } from './copies.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { listening, startProcess } from './processes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitFor } from './wait-for.ts'
import { startService } from './web-and-worker.ts'
import { countDelivered, startWitness, type Witness } from './witness.ts'

const MERCHANTS = 20
/** Long enough to write all intents and their jobs before the first intent expires. */
const LEAD_MS = 20_000
/** Storms that are not measured. The first one meets a worker that has compiled nothing yet. */
export const WARM_UP_STORMS = 1

/** Filters that use an index. */
const pending = { status: 'PENDING', cancelsAt: { $gt: new Date(0) } } as const
const open = { nextAttemptAt: { $type: 'date' } } as const

/** Seconds since the last intent expired. */
export interface Storm {
  /** Until all intents were CANCELLED in MongoDB. */
  ended: number
  /** Until the last `payment.expired` arrived. NaN on the bare side, which sends none. */
  delivered: number
}

/** Measures how long it takes to cancel intents that expire within one second, and to run as many bare updates. */
export async function measureStorm(bench: Bench): Promise<Pair<Storm>[]> {
  const witness = await startWitness(bench.runtime, 'storm-endpoints', 1)
  const service = await startService(bench, 'storm', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, MERCHANTS, 'test')
  for (const merchant of merchants)
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[0] ?? 0), ['payment.expired'])
  const jobs = new Queue('intent-expiry', {
    connection: { url: bench.redisUrl },
    prefix: service.queuePrefix,
  })
  const bare = await startBare(bench, service.mongodbUrl)
  const pairs = await withDatabase(service.mongodbUrl, async (database) => {
    const [first] = merchants
    if (first === undefined) throw new Error('No merchant was made')
    const sample = await takeSample(database, service.webUrl, first, false)
    const draft = (dueAt: number, index: number): Intent => {
      const expiresAt = new Date(dueAt + Math.floor((index / bench.storm) * 1000))
      const businessId = merchants[index % MERCHANTS]?.businessId ?? ''
      return { ...sample, ...ownOf(), businessId, expiresAt, cancelsAt: expiresAt }
    }
    return alternate(
      WARM_UP_STORMS + bench.rounds,
      () => expire(bench, { database, jobs, witness, draft }),
      () => updateBare(bench, database, bare.url, draft),
    )
  })
  await jobs.close()
  await Promise.all([service.end(), bare.end()])
  await witness.end()
  return pairs.slice(WARM_UP_STORMS)
}

interface Setting {
  database: mongo.Db
  jobs: Queue
  witness: Witness
  draft: (dueAt: number, index: number) => Intent
}

async function expire({ storm }: Bench, setting: Setting): Promise<Storm> {
  const { database, witness } = setting
  const dueAt = Date.now() + LEAD_MS
  const references = await makeDue(storm, dueAt, setting)
  if (Date.now() > dueAt) throw new Error('The intents were not written before they expired')
  const since = (): number => (Date.now() - dueAt - 1000) / 1000
  const intents = database.collection<Intent>('intents')
  const arrived = async (): Promise<number> => countDelivered((await witness.seen()).arrivals, references)
  await pause(dueAt + 1000 - Date.now())
  await waitFor('all to be CANCELLED', async () => (await intents.findOne(pending)) === null)
  const ended = since()
  await waitFor('all events to be delivered', async () => (await arrived()) === storm)
  const delivered = since()
  const deliveries = database.collection('deliveries')
  await waitFor('every delivery to be recorded', async () => (await deliveries.findOne(open)) === null)
  // A recorded delivery is not repeated, so a second arrival would be there by now.
  await arrived()
  await witness.forget()
  await intents.deleteMany({})
  return { ended, delivered }
}

/** Writes intents, and adds their jobs as the relay does for `payment.created`. Returns their references. */
async function makeDue(storm: number, dueAt: number, { database, jobs, draft }: Setting): Promise<ReadonlySet<string>> {
  const due: Intent[] = []
  await addCopies(database.collection<Intent>('intents'), storm, (index) => {
    const intent = draft(dueAt, index)
    due.push(intent)
    return intent
  })
  const references = new Set(due.map(({ referenceNumber }) => referenceNumber))
  const now = new Date()
  const queue = 'intent-expiry'
  await addAll(
    jobs,
    queue,
    merged(
      queue,
      due.map((intent) => expiryJob(intent, now)),
    ),
  )
  return references
}

/** Lets a bare process run the same number of guarded updates, without webhooks. */
async function updateBare(
  { storm }: Bench,
  database: mongo.Db,
  url: string,
  draft: (dueAt: number, index: number) => Intent,
): Promise<Storm> {
  const bare = database.collection<Intent>('bare')
  await addCopies(bare, storm, (index) => draft(Date.now(), index))
  const response = await fetch(url, { method: 'POST' })
  const { cancelled, seconds } = (await response.json()) as { cancelled: number; seconds: number }
  if (cancelled !== storm) throw new Error(`The bare route cancelled ${cancelled} of ${storm}`)
  await bare.drop()
  return { ended: seconds, delivered: Number.NaN }
}

async function startBare({ runtime }: Bench, mongodbUrl: string) {
  const port = await freePort()
  const route = startProcess(runtime, 'bare-expire-route', 'bench/bare/expire-route.ts', {
    NODE_ENV: 'test',
    PORT: String(port),
    MONGODB_URL: mongodbUrl,
    // The size of a batch in a job of the service.
    CONCURRENCY: '100',
  })
  await listening(port)
  return { url: `http://127.0.0.1:${port}/`, end: () => route.end() }
}
