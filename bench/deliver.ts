import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { bareQueue } from './bare/jobs.ts'
import { nowMs } from './clock.ts'
import { withDatabase } from './copies.ts'
import type { Counted } from './endpoint-server.ts'
import { type Outboxes, openOutboxes } from './outboxes.ts'
import { processorMs } from './process-figures.ts'
import { listening, type Running, startProcess } from './processes.ts'
import { allRecorded } from './recorded.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitForCount } from './wait-for.ts'
import { startWebOnly } from './web-and-worker.ts'

/** The number of endpoints. Each has its own merchant. */
const ENDPOINTS = 20
/**
 * Drains before the first round, which are not measured. The processor time per delivery of a worker falls by half over
 * its first 50 000 deliveries. With 10 000 per drain, this still affects the first two of five rounds.
 */
export const WARM_UP_DRAINS = 3
/** Adds at most 2 % to a drain of 2 s. */
const POLL_MS = 20

export interface Drained {
  perSecond: number
  /** Microseconds of processor time for each delivery. The bare side does not use MongoDB. */
  workerUs: number
  mongoUs: number
  redisUs: number
}

/** One side of a round. */
interface Side {
  pids: { worker: number; mongo?: number; redis: number }
  /** Prepares the deliveries. */
  fill(): Promise<void>
  begin(): Promise<void>
  /** Waits for the last delivery. Returns its instant by `nowMs`. */
  end(): Promise<number>
}

/**
 * Measures deliveries per second of one `worker`, from events in outboxes to recorded results, and of the bare worker.
 * The rounds alternate, at the same endpoint server.
 */
export async function measureDeliver(bench: Bench): Promise<Pair<Drained>[]> {
  const { address, allowedHosts, urls, endpointServer } = await startEndpoints(bench)
  const service = await startWebOnly(bench, 'deliver', { WEBHOOK_ALLOWED_HOSTS: allowedHosts })
  const bareJobs = new Queue(bareQueue, { connection: { url: bench.redisUrl } })
  const pairs = await withDatabase(service.mongodbUrl, async (database) => {
    const outboxes = await openOutboxes(bench, database, service, urls)
    const worker = service.startWorker()
    const drainService = () => drainOutboxes(bench, address, { database, outboxes, worker })
    // Both workers run through all rounds.
    for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1) await drainService()
    const bare = startProcess(bench.runtime, 'bare-worker', 'bench/bare/worker.ts', {
      NODE_ENV: 'test',
      REDIS_URL: bench.redisUrl,
      BODY: await (await fetch(`${address}body`)).text(),
    })
    const bareSide: Side = {
      pids: { worker: bare.pid, redis: bench.pids.redis() },
      fill: () => addPaused(bareJobs, urls, bench.deliveries),
      begin: () => bareJobs.resume(),
      end: async () => (await arrived(address, bench.deliveries)).lastAt,
    }
    const drainBare = () => drain(bench, address, bareSide)
    for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1) await drainBare()
    const measured = await alternate(bench.rounds, drainService, drainBare)
    await Promise.all([outboxes.close(), bare.end()])
    return measured
  })
  await Promise.all([bareJobs.close(), service.end()])
  await endpointServer.end()
  return pairs
}

/** Starts a server with the endpoints. */
export async function startEndpoints(bench: Bench) {
  const port = await freePort()
  const runtime = { ...bench.runtime, profile: false }
  const script = 'bench/endpoint-server.ts'
  const endpointServer = startProcess(runtime, 'endpoint-server', script, { PORT: String(port) })
  await listening(port)
  const address = `http://127.0.0.1:${port}/`
  const urls = Array.from({ length: ENDPOINTS }, (_, index) => `${address}hooks/${index}`)
  return { address, allowedHosts: `127.0.0.1:${port}`, urls, endpointServer }
}

/** Drains outboxes with a worker of the service, and then removes the intents and deliveries. */
export async function drainOutboxes(
  bench: Bench,
  address: string,
  { database, outboxes, worker }: { database: mongo.Db; outboxes: Outboxes; worker: Running },
): Promise<Drained> {
  const drained = await drain(bench, address, {
    pids: { worker: worker.pid, mongo: bench.pids.mongo(), redis: bench.pids.redis() },
    fill: () => outboxes.fill(bench.deliveries),
    begin: () => outboxes.wake(),
    async end() {
      await arrived(address, bench.deliveries)
      await allRecorded(database, bench.deliveries, POLL_MS)
      return nowMs()
    },
  })
  await outboxes.clear()
  return drained
}

async function drain({ deliveries }: Bench, address: string, side: Side): Promise<Drained> {
  await fetch(address, { method: 'DELETE' })
  await side.fill()
  const { worker, mongo, redis } = side.pids
  const stopwatches = [worker, mongo, redis].map((pid) => stopwatch(pid, deliveries))
  const startedAt = nowMs()
  await side.begin()
  const endedAt = await side.end()
  const [workerUs = 0, mongoUs = 0, redisUs = 0] = stopwatches.map((each) => each())
  return { perSecond: deliveries / ((endedAt - startedAt) / 1000), workerUs, mongoUs, redisUs }
}

/** Starts to measure. The returned function returns the microseconds of processor time used since, per delivery. */
function stopwatch(pid: number | undefined, count: number): () => number {
  if (pid === undefined) return () => 0
  const before = processorMs(pid)
  return () => ((processorMs(pid) - before) * 1000) / count
}

async function addPaused(queue: Queue, urls: string[], count: number): Promise<void> {
  await queue.pause()
  const jobs = Array.from({ length: count }, (_, index) => ({
    name: 'post',
    data: { url: urls[index % urls.length] },
  }))
  while (jobs.length > 0) await queue.addBulk(jobs.splice(0, 500))
}

/** Waits until `count` deliveries have arrived. @throws {Error} if more arrive */
async function arrived(address: string, count: number): Promise<Counted> {
  const read = async () => (await (await fetch(address)).json()) as Counted
  await waitForCount('deliveries have arrived', count, async () => (await read()).count, POLL_MS)
  return read()
}
