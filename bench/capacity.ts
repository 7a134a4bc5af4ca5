import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { freePort } from '../dev/servers/free-port.ts'
import { inParallel, openApi } from './calls.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { type MongoFigures, readFigures } from './mongo-figures.ts'
import { order } from './order.ts'
import { listening, startProcess } from './processes.ts'
import type { Bench } from './rounds.ts'
import { waitForCount } from './wait-for.ts'
import { startWitness } from './witness.ts'

const MERCHANTS = 20
const INTENTS = 20_000
const PAYMENTS = 4_000
const ORDERS = 2_000

/** The collections that the benchmark measures. */
const collections = ['intents', 'responses', 'deliveries', 'orders']

/** The average cost of one operation. */
export interface Cost {
  what: string
  /** The stored data by collection: uncompressed, as stored, and its indexes. */
  kept: { collection: string; bytes: number; stored: number; indexes: number }[]
  commands: number
  documents: number
  journalBytes: number
  networkBytes: number
  /** Processor time of the process that did the work: `web` or `worker`. */
  cpuMs: number
  mongoCpuMs: number
}

export interface Costs {
  each: Cost[]
  /** Memory in Redis for each intent that has not expired. */
  expiryJobBytes: number
}

/** Measures the stored data and the load of creates, deliveries, payments and orders, one kind after the other. */
export async function measureCapacity(bench: Bench): Promise<Costs> {
  const mongodbUrl = bench.mongodbUrl('capacity')
  const secretKey = randomBytes(32)
  const [webPort, workerPort] = [await freePort(), await freePort()]
  const witness = await startWitness(bench.runtime, 'capacity-endpoints', 1)
  const merchants = await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'test')
  const environment = {
    // Production refuses endpoints on this machine.
    NODE_ENV: 'test',
    MONGODB_URL: mongodbUrl,
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: 'capacity',
    SECRET_KEY: secretKey.toString('base64'),
    WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts,
    PORT: String(webPort),
    WORKER_PORT: String(workerPort),
    RATE_LIMIT_PER_SECOND: '0',
  }
  const web = startProcess(bench.runtime, 'capacity-web', bench.runtime.programs.web, environment)
  await listening(webPort)
  const api = openApi(webPort)
  for (const merchant of merchants) {
    await addEndpoint(`http://127.0.0.1:${webPort}`, merchant, witness.urlOf(witness.ports[0] ?? 0), [
      'payment.created',
    ])
    await api.post(merchant, '/store/products', { name: 'Malafa', price: 150_000, stock: 1_000_000 })
  }
  const merchantOf = (index: number): Merchant => {
    const merchant = merchants[index % MERCHANTS]
    if (merchant === undefined) throw new Error('there are no merchants')
    return merchant
  }
  const costs: Cost[] = []
  const count = async (what: string, port: number, times: number, act: () => Promise<unknown>) => {
    const before = { figures: await readFigures(mongodbUrl, collections), cpuMs: await cpuMs(port) }
    await act()
    const usedMs = (await cpuMs(port)) - before.cpuMs
    const after = await readFigures(mongodbUrl, collections)
    costs.push(costOf(what, before.figures, after, usedMs, times))
  }

  const references: string[] = []
  await count('create', webPort, INTENTS, () =>
    inParallel(INTENTS, async (index) => {
      const made = await api.post(merchantOf(index), '/intents', order)
      references[index] = (made as { referenceNumber: string }).referenceNumber
    }),
  )
  const worker = startProcess(bench.runtime, 'capacity-worker', bench.runtime.programs.worker, environment)
  await listening(workerPort)
  await count('delivery', workerPort, INTENTS, () =>
    waitForCount('deliveries arrived', INTENTS, async () => (await witness.seen()).arrivals.length),
  )
  await worker.end()
  const expiryJobBytes = (await bytesOfKeys(bench.redisUrl, 'capacity:intent-expiry:*')) / INTENTS
  await count('simulated payment', webPort, PAYMENTS, () =>
    inParallel(PAYMENTS, (index) => api.post(merchantOf(index), `/intents/${references[index]}/simulate-payment`, {})),
  )
  await count('simulated order', webPort, ORDERS, () =>
    inParallel(ORDERS, (index) => api.post(merchantOf(index), '/store/orders/simulate', {})),
  )
  await Promise.all([web.end(), api.close(), witness.end()])
  return { each: costs, expiryJobBytes }
}

/** Deletes the keys and returns the memory that this frees, except BullMQ's stream of its last 10 000 events. */
async function bytesOfKeys(redisUrl: string, pattern: string): Promise<number> {
  const redis = new Redis(redisUrl)
  const used = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
  const keys = await redis.keys(pattern)
  await redis.del(...keys.filter((key) => key.endsWith(':events')))
  const before = await used()
  while (keys.length > 0) await redis.del(keys.splice(0, 1000))
  const bytes = before - (await used())
  await redis.quit()
  return bytes
}

/** The processor time of a process so far, from its metrics. */
async function cpuMs(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]) * 1000
}

function costOf(what: string, before: MongoFigures, after: MongoFigures, usedMs: number, times: number): Cost {
  const each = (figures: (of: MongoFigures) => number): number => (figures(after) - figures(before)) / times
  const kept = collections.map((collection) => ({
    collection,
    bytes: each((of) => of.collections[collection]?.bytes ?? 0),
    stored: each((of) => of.collections[collection]?.stored ?? 0),
    indexes: each((of) => of.collections[collection]?.indexes ?? 0),
  }))
  return {
    what,
    kept: kept.filter(({ bytes }) => bytes > 1),
    commands: each((of) => of.commands),
    documents: each((of) => of.documents),
    journalBytes: each((of) => of.journalBytes),
    networkBytes: each((of) => of.networkBytes),
    cpuMs: usedMs / times,
    mongoCpuMs: each((of) => of.cpuMs),
  }
}
