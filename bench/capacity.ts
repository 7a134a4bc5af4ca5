import { Redis } from 'ioredis'
import type { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { printTable } from '../test/support/table.ts'
import type { Benchmark } from './benchmark.ts'
import { inParallel, openApi, order } from './calls.ts'
import { listening } from './processes.ts'
import { withService } from './setting.ts'
import { aloneLine } from './table.ts'
import { waitForCount } from './wait-for.ts'

const MERCHANTS = 20
const INTENTS = 20_000
const PAYMENTS = 4_000
const ORDERS = 2_000

const collections = ['intents', 'responses', 'deliveries', 'orders']

interface Cost {
  what: string
  /** Listed by collection: uncompressed, as stored, and its indexes. */
  kept: { collection: string; bytes: number; stored: number; indexes: number }[]
  commands: number
  documents: number
  journalBytes: number
  networkBytes: number
  cpuMs: number
  mongoCpuMs: number
}

export const capacity: Benchmark = {
  describe: () =>
    'the stored data and the load of 20 000 creates, their deliveries, 4 000 payments and 2 000 orders, for each of them',
  takesSeconds: () => 60,
  async measure(bench) {
    const environment = { RATE_LIMIT_PER_SECOND: '0' }
    const wanted = { environment, merchants: MERCHANTS, events: ['payment.created' as const], worker: false }
    return withService(bench, 'capacity', wanted, async ({ service, arrivals, merchants, database }) => {
      const { origin } = service.web
      const api = openApi(origin)
      for (const merchant of merchants)
        await api.post(merchant, '/store/products', { name: 'Malafa', price: 150_000, stock: 1_000_000 })
      const post = <Data>(index: number, path: string, body: object) =>
        api.post<Data>(merchants[index % MERCHANTS], path, body)
      const costs: Cost[] = []
      const count = async (what: string, process: string, times: number, act: () => Promise<unknown>) => {
        const before = { figures: await readFigures(database), cpuMs: await cpuMs(process) }
        await act()
        const usedMs = (await cpuMs(process)) - before.cpuMs
        costs.push(costOf(what, before.figures, await readFigures(database), usedMs, times))
      }

      const references: string[] = []
      await count('create', origin, INTENTS, () =>
        inParallel(INTENTS, async (index) => {
          const { referenceNumber } = await post<{ referenceNumber: string }>(index, '/intents', order)
          references[index] = referenceNumber
        }),
      )
      const workerPort = await freePort()
      const worker = service.startWorker({ WORKER_PORT: String(workerPort) })
      await listening(workerPort)
      await count('delivery', `http://127.0.0.1:${workerPort}`, INTENTS, () =>
        waitForCount('deliveries arrived', INTENTS, async () => (await arrivals.counted()).count),
      )
      await worker.end()
      const expiryJobBytes = (await bytesOfKeys(bench.redisUrl, 'capacity:intent-expiry:*')) / INTENTS
      await count('simulated payment', origin, PAYMENTS, () =>
        inParallel(PAYMENTS, (index) => post(index, `/intents/${references[index]}/simulate-payment`, {})),
      )
      await count('simulated order', origin, ORDERS, () =>
        inParallel(ORDERS, (index) => post(index, '/store/orders/simulate', {})),
      )
      await api.close()
      printKept(costs)
      return [
        ...costs.flatMap(costLines),
        aloneLine('capacity, a pending expiry: bytes in Redis', expiryJobBytes.toFixed(0)),
      ]
    })
  },
}

/** Prints this part at once. The table at the end has the other figures. */
function printKept(costs: Cost[]): void {
  const rows = costs.flatMap(({ what, kept }) =>
    kept.map(({ collection, bytes, stored, indexes }) => [
      what,
      collection,
      ...[bytes, stored, indexes].map((size) => size.toFixed(0)),
    ]),
  )
  printTable([['  kept of a', 'collection', 'bytes', 'as stored', 'indexes'], ...rows])
}

const costLines = ({ what, ...cost }: Cost) => [
  aloneLine(`capacity, a ${what}: commands`, cost.commands.toFixed(2)),
  aloneLine('  documents', cost.documents.toFixed(1)),
  aloneLine(
    '  journal and network, bytes',
    `${cost.journalBytes.toFixed(0)}, ${cost.networkBytes.toFixed(0)}`,
  ),
  aloneLine('  CPU, and of MongoDB, ms', `${cost.cpuMs.toFixed(2)}, ${cost.mongoCpuMs.toFixed(2)}`),
]

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

async function cpuMs(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]) * 1000
}

function costOf(
  what: string,
  before: MongoFigures,
  after: MongoFigures,
  usedMs: number,
  times: number,
): Cost {
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

interface MongoFigures {
  /** Commands that read or write. Each is one round trip. */
  commands: number
  documents: number
  journalBytes: number
  networkBytes: number
  cpuMs: number
  collections: Record<string, { documents: number; bytes: number; stored: number; indexes: number }>
}

interface CollStats {
  count: number
  size: number
  storageSize: number
  totalIndexSize: number
  wiredTiger: { 'block-manager': Record<string, number> }
}

/** Flushes everything to disk first, so that sizes are those of the stored data. */
async function readFigures(database: mongo.Db): Promise<MongoFigures> {
  const admin = database.admin()
  await admin.command({ fsync: 1 })
  const status = await admin.command({ serverStatus: 1 })
  const sizes: MongoFigures['collections'] = {}
  for (const name of collections)
    sizes[name] = sizesOf((await database.command({ collStats: name })) as CollStats)
  const { reads, writes } = status.opLatencies
  const { user_time_us: user, system_time_us: system } = status.extra_info
  const { inserted, updated, returned } = status.metrics.document
  return {
    commands: Number(reads.ops) + Number(writes.ops),
    documents: Number(inserted) + Number(updated) + Number(returned),
    journalBytes: Number(status.wiredTiger.log['log bytes written']),
    networkBytes: Number(status.network.bytesIn) + Number(status.network.bytesOut),
    cpuMs: (Number(user) + Number(system)) / 1000,
    collections: sizes,
  }
}

function sizesOf({ count, size, storageSize, totalIndexSize, wiredTiger }: CollStats) {
  const free = wiredTiger['block-manager']['file bytes available for reuse'] ?? 0
  return { documents: count, bytes: size, stored: storageSize - free, indexes: totalIndexSize }
}
