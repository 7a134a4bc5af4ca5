import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import type { Intent } from '../src/intents/intent.ts'
import { queueOptions } from '../src/jobs.ts'
import { addCopies, ownOf, takeSample, withBooks } from './copies.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitFor } from './wait-for.ts'
import { startService } from './web-and-worker.ts'
import { startWitness, type Witness } from './witness.ts'

const MERCHANTS = 20
/** Long enough that all are written down, and their jobs too, before the first is up. */
const LEAD_MS = 20_000
const ADDED_TOGETHER = 500
/** As many at a time as the service's worker takes. */
const BARE_AT_A_TIME = queueOptions['intent-expiry'].concurrency

/** Said so that an index has them. */
const pending = { status: 'PENDING', expiresAt: { $gt: new Date(0) } } as const

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
  const pairs = await withBooks(service.mongodbUrl, async (books) => {
    const [first] = merchants
    if (first === undefined) throw new Error('No merchant was made')
    const sample = await takeSample(books, service.webUrl, first, false)
    const draft = (dueAt: number, place: number): Intent => ({
      ...sample,
      ...ownOf(),
      businessId: merchants[place % MERCHANTS]?.businessId ?? '',
      expiresAt: new Date(dueAt + Math.floor((place / bench.storm) * 1000)),
    })
    return alternate(
      bench.rounds,
      () => expire(bench, { books, jobs, witness, draft }),
      () => updateBare(bench, books, draft),
    )
  })
  await jobs.close()
  await service.end()
  await witness.end()
  return pairs
}

interface Setting {
  books: mongo.Db
  jobs: Queue
  witness: Witness
  draft: (dueAt: number, place: number) => Intent
}

async function expire({ storm }: Bench, { books, jobs, witness, draft }: Setting): Promise<Storm> {
  const intents = books.collection<Intent>('intents')
  const dueAt = Date.now() + LEAD_MS
  const due: Intent[] = []
  await addCopies(intents, storm, (place) => {
    const intent = draft(dueAt, place)
    due.push(intent)
    return intent
  })
  // As the relay adds them when it hands on `payment.created`.
  while (due.length > 0)
    await jobs.addBulk(
      due.splice(0, ADDED_TOGETHER).map(({ referenceNumber, expiresAt }) => ({
        name: 'intent-expiry',
        data: { referenceNumber },
        opts: { jobId: referenceNumber, delay: Math.max(0, expiresAt.getTime() - Date.now()) },
      })),
    )
  if (Date.now() > dueAt) throw new Error('They were not written down before their time was up')
  const since = (): number => (Date.now() - dueAt - 1000) / 1000
  const arrivals = async (): Promise<number> => (await witness.seen()).arrivals.length
  await pause(dueAt + 1000 - Date.now())
  await waitFor('all to be CANCELLED', async () => (await intents.findOne(pending)) === null)
  const ended = since()
  await waitFor('all to be told', async () => (await arrivals()) >= storm)
  const told = since()
  if ((await arrivals()) > storm) throw new Error('One was told twice')
  await witness.forget()
  await intents.deleteMany({})
  return { ended, told }
}

/** The same number of guarded updates of copies by one loop, and nothing told. */
async function updateBare(
  { storm }: Bench,
  books: mongo.Db,
  draft: (dueAt: number, place: number) => Intent,
): Promise<Storm> {
  const bare = books.collection<Intent>('bare')
  const ids: string[] = []
  await addCopies(bare, storm, (place) => {
    const intent = draft(Date.now(), place)
    ids.push(intent._id)
    return intent
  })
  const startAt = Date.now()
  const lane = async (): Promise<void> => {
    for (let _id = ids.pop(); _id !== undefined; _id = ids.pop())
      await bare.findOneAndUpdate(
        { _id, status: 'PENDING' },
        { $set: { status: 'CANCELLED', updatedAt: new Date() } },
        { writeConcern: { w: 'majority', journal: true } },
      )
  }
  await Promise.all(Array.from({ length: BARE_AT_A_TIME }, lane))
  const ended = (Date.now() - startAt) / 1000
  await bare.drop()
  return { ended, told: Number.NaN }
}
