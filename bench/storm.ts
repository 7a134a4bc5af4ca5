import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { expiryJobs } from '../src/intents/expire.ts'
import type { Intent } from '../src/intents/intent.ts'
import { addCopies, ownOf, takeSample, withBooks } from './copies.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { listening, startProcess } from './processes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitFor } from './wait-for.ts'
import { startService } from './web-and-worker.ts'
import { countTold, startWitness, type Witness } from './witness.ts'

const MERCHANTS = 20
/** Long enough that all are written down, and their jobs too, before the first is up. */
const LEAD_MS = 20_000
/** Thrown away: the first storm finds a worker that has run nothing yet. */
export const WARM_UP_STORMS = 1

/** Both said so that an index has them. */
const pending = { status: 'PENDING', cancelsAt: { $gt: new Date(0) } } as const
const open = { nextAttemptAt: { $type: 'date' } } as const

/** Seconds from the instant when the last one's time was up. */
export interface Storm {
  /** Until all were CANCELLED in MongoDB. */
  ended: number
  /** Until the last `payment.expired` had arrived; NaN where nobody is told. */
  told: number
}

/** How long so many intents take that expire within one second, and so many bare updates. */
export async function measureStorm(bench: Bench): Promise<Pair<Storm>[]> {
  const witness = await startWitness(bench.where, 'storm-receivers', 1)
  const service = await startService(bench, 'storm', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, MERCHANTS, 'test')
  for (const merchant of merchants)
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[0] ?? 0), ['payment.expired'])
  const jobs = new Queue('intent-expiry', {
    connection: { url: bench.redisUrl },
    prefix: service.queuePrefix,
  })
  const bare = await startBare(bench, service.mongodbUrl)
  const pairs = await withBooks(service.mongodbUrl, async (books) => {
    const [first] = merchants
    if (first === undefined) throw new Error('No merchant was made')
    const sample = await takeSample(books, service.webUrl, first, false)
    const draft = (dueAt: number, place: number): Intent => {
      const expiresAt = new Date(dueAt + Math.floor((place / bench.storm) * 1000))
      const businessId = merchants[place % MERCHANTS]?.businessId ?? ''
      return { ...sample, ...ownOf(), businessId, expiresAt, cancelsAt: expiresAt }
    }
    return alternate(
      WARM_UP_STORMS + bench.rounds,
      () => expire(bench, { books, jobs, witness, draft }),
      () => updateBare(bench, books, bare.url, draft),
    )
  })
  await jobs.close()
  await Promise.all([service.end(), bare.end()])
  await witness.end()
  return pairs.slice(WARM_UP_STORMS)
}

interface Setting {
  books: mongo.Db
  jobs: Queue
  witness: Witness
  draft: (dueAt: number, place: number) => Intent
}

async function expire({ storm }: Bench, setting: Setting): Promise<Storm> {
  const { books, witness } = setting
  const dueAt = Date.now() + LEAD_MS
  const references = await makeDue(storm, dueAt, setting)
  if (Date.now() > dueAt) throw new Error('They were not written down before their time was up')
  const since = (): number => (Date.now() - dueAt - 1000) / 1000
  const intents = books.collection<Intent>('intents')
  const arrived = async (): Promise<number> => countTold((await witness.seen()).arrivals, references)
  await pause(dueAt + 1000 - Date.now())
  await waitFor('all to be CANCELLED', async () => (await intents.findOne(pending)) === null)
  const ended = since()
  await waitFor('all to be told', async () => (await arrived()) === storm)
  const told = since()
  const deliveries = books.collection('deliveries')
  await waitFor('every delivery to be recorded', async () => (await deliveries.findOne(open)) === null)
  // What is recorded is not sent again: one that came twice has come twice by now.
  await arrived()
  await witness.forget()
  await intents.deleteMany({})
  return { ended, told }
}

/** Writes so many intents down, and adds their jobs as the relay does when it hands on `payment.created`. Answers their references. */
async function makeDue(
  storm: number,
  dueAt: number,
  { books, jobs, draft }: Setting,
): Promise<ReadonlySet<string>> {
  const due: Intent[] = []
  await addCopies(books.collection<Intent>('intents'), storm, (place) => {
    const intent = draft(dueAt, place)
    due.push(intent)
    return intent
  })
  const references = new Set(due.map(({ referenceNumber }) => referenceNumber))
  await jobs.addBulk(
    expiryJobs(due, new Date()).map(({ data, delayMs }) => ({
      name: 'intent-expiry',
      data,
      opts: { delay: delayMs },
    })),
  )
  return references
}

/** The same number of guarded updates of copies by a bare process, and nothing told. */
async function updateBare(
  { storm }: Bench,
  books: mongo.Db,
  url: string,
  draft: (dueAt: number, place: number) => Intent,
): Promise<Storm> {
  const bare = books.collection<Intent>('bare')
  await addCopies(bare, storm, (place) => draft(Date.now(), place))
  const answer = await fetch(url, { method: 'POST' })
  const { cancelled, seconds } = (await answer.json()) as { cancelled: number; seconds: number }
  if (cancelled !== storm) throw new Error(`The bare one cancelled ${cancelled} of ${storm}`)
  await bare.drop()
  return { ended: seconds, told: Number.NaN }
}

async function startBare({ where }: Bench, mongodbUrl: string) {
  const port = await freePort()
  const route = startProcess(where, 'bare-expire-route', 'bench/bare/expire-route.ts', {
    NODE_ENV: 'test',
    PORT: String(port),
    MONGODB_URL: mongodbUrl,
    // As many as one job of the service has.
    AT_A_TIME: '100',
  })
  await listening(port)
  return { url: `http://127.0.0.1:${port}/`, end: () => route.end() }
}
