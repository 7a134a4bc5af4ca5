import { randomBytes } from 'node:crypto'
import { Queue } from 'bullmq'
import { freePort } from '../dev/servers/free-port.ts'
import { queueOptions } from '../src/jobs.ts'
import { bareQueue, concurrency } from './bare/jobs.ts'
import { openHouse } from './due-deliveries.ts'
import { listening, startProcess } from './processes.ts'
import type { Arrivals } from './receiver.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { waitFor } from './wait-for.ts'

/**
 * Thrown away on either side. A worker's processor time per delivery falls by half over its first 50 000 deliveries: with 10 000 a drain the
 * last of that is in the first two rounds of five.
 */
export const WARM_UP_DRAINS = 3

export interface Drained {
  perSecond: number
}

/** Deliveries per second of one `worker`, and of the bare one, in turns at the same receiver. */
export async function measureDeliver(bench: Bench): Promise<Pair<Drained>[]> {
  if (queueOptions['webhook-delivery'].concurrency !== concurrency)
    throw new Error('bench/bare/jobs.ts names another concurrency than src/jobs.ts')
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/`
  const receiver = startProcess({ ...bench.where, profile: false }, 'receiver', 'bench/receiver.ts', {
    PORT: String(port),
  })
  await listening(port)
  const environment = {
    NODE_ENV: 'test',
    MONGODB_URL: bench.mongodbUrl('deliver'),
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: 'deliver',
    SECRET_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${port}`,
    WORKER_QUEUES: 'webhook-delivery,webhook-delivery-slow',
  }
  const house = await openHouse(environment, address)
  const connection = { url: bench.redisUrl }
  const ours = new Queue('webhook-delivery', { connection, prefix: environment.QUEUE_PREFIX })
  const theirs = new Queue(bareQueue, { connection })

  // The jobs are all there before the first one starts: what is measured is the worker.
  const drain = async (queue: Queue, fill: () => Promise<void>): Promise<Drained> => {
    await queue.pause()
    await fill()
    await waitFor('its jobs', async () => (await queue.count()) >= bench.deliveries)
    await fetch(address, { method: 'DELETE' })
    await queue.resume()
    const { firstAt, lastAt } = await arrived(address, bench.deliveries)
    return { perSecond: (bench.deliveries - 1) / ((lastAt - firstAt) / 1000) }
  }
  const service = async (): Promise<Drained> => {
    const drained = await drain(ours, () => house.makeDue(bench.deliveries))
    // A delivery counts when it is written down as made.
    await waitFor('every delivery to be recorded', async () => (await house.openDeliveries()) === 0)
    await arrived(address, bench.deliveries)
    return drained
  }
  const simple = () => drain(theirs, () => addBare(theirs, house.urls, bench.deliveries))

  // Both processes stay for all rounds.
  const worker = startProcess(bench.where, 'worker', bench.where.programs.worker, environment)
  for (let thrownAway = 0; thrownAway < WARM_UP_DRAINS; thrownAway += 1) await service()
  const bare = startProcess(bench.where, 'bare-worker', 'bench/bare/worker.ts', {
    NODE_ENV: 'test',
    REDIS_URL: bench.redisUrl,
    BODY: await house.sampleBody(),
  })
  for (let thrownAway = 0; thrownAway < WARM_UP_DRAINS; thrownAway += 1) await simple()
  const pairs = await alternate(bench.rounds, service, simple)
  await Promise.all([ours.close(), theirs.close(), house.close(), worker.end(), bare.end()])
  await receiver.end()
  return pairs
}

async function addBare(queue: Queue, urls: string[], count: number): Promise<void> {
  const jobs = Array.from({ length: count }, (_, index) => ({
    name: 'post',
    data: { url: urls[index % urls.length] },
  }))
  while (jobs.length > 0) await queue.addBulk(jobs.splice(0, 500))
}

/** Waits for the last of them. One more would be a delivery made twice. */
async function arrived(address: string, count: number): Promise<Arrivals> {
  let arrivals: Arrivals | undefined
  await waitFor('the last arrival', async () => {
    arrivals = (await (await fetch(address)).json()) as Arrivals
    if (arrivals.count > count) throw new Error(`${arrivals.count} arrivals of ${count} deliveries`)
    return arrivals.count === count
  })
  return arrivals as Arrivals
}
