import { Queue } from 'bullmq'
import { freePort } from '../dev/servers/free-port.ts'
import { bareQueue } from './bare/jobs.ts'
import { nowMs } from './clock.ts'
import { withBooks } from './copies.ts'
import { openOutboxes } from './outboxes.ts'
import { processorMs } from './process-figures.ts'
import { listening, startProcess } from './processes.ts'
import type { Counted } from './receiver.ts'
import { allRecorded } from './recorded.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitForCount } from './wait-for.ts'
import { startWebOnly } from './web-and-worker.ts'

/** One endpoint for each of as many merchants. */
const ENDPOINTS = 20
/**
 * Drains before the first round, not measured. A worker's processor time per delivery falls by half over its first 50 000 deliveries. With
 * 10 000 per drain, the end of this is still in the first two of five rounds.
 */
export const WARM_UP_DRAINS = 3
/** Makes a drain of 2 s seem at most 2 % longer. */
const LOOK_EVERY_MS = 20

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
  /** Waits for the last one. Returns when that was, by `nowMs`. */
  end(): Promise<number>
}

/** Deliveries per second of one `worker`, from events in outboxes to recorded results, and of the bare worker, in turns at the same endpoint. */
export async function measureDeliver(bench: Bench): Promise<Pair<Drained>[]> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/`
  const receiver = startProcess({ ...bench.where, profile: false }, 'receiver', 'bench/receiver.ts', {
    PORT: String(port),
  })
  await listening(port)
  const service = await startWebOnly(bench, 'deliver', { WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${port}` })
  const urls = Array.from({ length: ENDPOINTS }, (_, place) => `${address}hooks/${place}`)
  const bareJobs = new Queue(bareQueue, { connection: { url: bench.redisUrl } })
  const pairs = await withBooks(service.mongodbUrl, async (books) => {
    const outboxes = await openOutboxes(bench, books, service, urls)
    const worker = service.startWorker()
    const ours: Side = {
      pids: { worker: worker.pid, mongo: bench.pids.mongo(), redis: bench.pids.redis() },
      fill: () => outboxes.fill(bench.deliveries),
      begin: () => outboxes.wake(),
      async end() {
        await arrived(address, bench.deliveries)
        await allRecorded(books, bench.deliveries, LOOK_EVERY_MS)
        return nowMs()
      },
    }
    const drainOurs = async (): Promise<Drained> => {
      const drained = await drain(bench, address, ours)
      await outboxes.clear()
      return drained
    }
    // Both workers stay for all rounds.
    for (let thrownAway = 0; thrownAway < WARM_UP_DRAINS; thrownAway += 1) await drainOurs()
    const bare = startProcess(bench.where, 'bare-worker', 'bench/bare/worker.ts', {
      NODE_ENV: 'test',
      REDIS_URL: bench.redisUrl,
      BODY: await (await fetch(`${address}body`)).text(),
    })
    const theirs: Side = {
      pids: { worker: bare.pid, redis: bench.pids.redis() },
      fill: () => addPaused(bareJobs, urls, bench.deliveries),
      begin: () => bareJobs.resume(),
      end: async () => (await arrived(address, bench.deliveries)).lastAt,
    }
    const drainBare = () => drain(bench, address, theirs)
    for (let thrownAway = 0; thrownAway < WARM_UP_DRAINS; thrownAway += 1) await drainBare()
    const measured = await alternate(bench.rounds, drainOurs, drainBare)
    await Promise.all([outboxes.close(), bare.end()])
    return measured
  })
  await Promise.all([bareJobs.close(), service.end()])
  await receiver.end()
  return pairs
}

async function drain({ deliveries }: Bench, address: string, side: Side): Promise<Drained> {
  await fetch(address, { method: 'DELETE' })
  await side.fill()
  const { worker, mongo, redis } = side.pids
  const spent = [worker, mongo, redis].map((pid) => stopwatch(pid, deliveries))
  const startedAt = nowMs()
  await side.begin()
  const endedAt = await side.end()
  const [workerUs = 0, mongoUs = 0, redisUs = 0] = spent.map((each) => each())
  return { perSecond: deliveries / ((endedAt - startedAt) / 1000), workerUs, mongoUs, redisUs }
}

/** Returns a function for the microseconds of processor time that a process has used since, divided by `count`. */
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

/** Waits for the last one. @throws {Error} if there are more */
async function arrived(address: string, count: number): Promise<Counted> {
  const look = async () => (await (await fetch(address)).json()) as Counted
  await waitForCount('deliveries have arrived', count, async () => (await look()).count, LOOK_EVERY_MS)
  return look()
}
