import { Queue } from 'bullmq'
import { processorMs } from '../dev/tests/processor-time.ts'
import type { Arrivals } from './arrivals.ts'
import { type BareJob, bareQueue } from './bare/jobs.ts'
import { alternate, type Bench, type Benchmark } from './benchmark.ts'
import { type Outboxes, openOutboxes } from './outboxes.ts'
import { buildEarlier, type Running } from './processes.ts'
import { type Setting, startBareWorker, withService } from './setting.ts'
import { comparedLine, figureLine, rateLine } from './table.ts'
import { nowMs } from './times.ts'
import { allRecorded, waitForCount } from './wait-for.ts'

/** Each has its own endpoint, all at the same address. */
const MERCHANTS = 20
/**
 * Drains before the first round, which aren't measured. A worker's processor time per delivery falls by half over its
 * first 50 000 deliveries. With 10 000 per drain, this still affects the first two of five rounds.
 */
const WARM_UP_DRAINS = 3
/** Adds at most 2 % to a drain of 2 s. */
const POLL_MS = 20

interface Drained {
  perSecond: number
  /** Microseconds of processor time per delivery. The bare side doesn't use MongoDB. */
  workerUs: number
  mongoUs: number
  redisUs: number
}

interface Side {
  pids: { worker: number; mongo?: number; redis: number }
  fill(): Promise<void>
  begin(): Promise<void>
  end(): Promise<number>
}

export const deliver: Benchmark = {
  describe: ({ deliveries }) =>
    `one \`worker\` from ${deliveries} events in outboxes of 20 merchants to their recorded deliveries ÷ a bare BullMQ worker with undici, ` +
    '200 at a time, from its jobs to the last arrival; in turns at the same endpoints',
  takesSeconds: ({ rounds, deliveries }) => 10 + ((rounds + WARM_UP_DRAINS) * deliveries) / 1_000,
  async measure(bench) {
    const pairs = await withOutboxes(bench, 'deliver', async ({ arrivals }, drainService) => {
      const bareJobs = new Queue<BareJob>(bareQueue, { connection: { url: bench.redisUrl } })
      // Both workers run through all rounds.
      for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1) await drainService()
      const bare = startBareWorker(bench, { BODY: (await arrivals.counted()).firstBody })
      const jobs = Array.from({ length: bench.deliveries }, () => ({
        name: 'post',
        data: { urls: arrivals.urls, reference: '' },
      }))
      const drainBare = () =>
        drain(bench, arrivals, {
          pids: { worker: bare.pid, redis: bench.pids.redis() },
          async fill() {
            await bareJobs.pause()
            for (let from = 0; from < jobs.length; from += 500)
              await bareJobs.addBulk(jobs.slice(from, from + 500))
          },
          begin: () => bareJobs.resume(),
          end: () => lastArrival(arrivals, bench.deliveries),
        })
      for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1) await drainBare()
      const measured = await alternate(bench.rounds, drainService, drainBare)
      await Promise.all([bareJobs.close(), bare.end()])
      return measured
    })
    return [
      rateLine('deliver, deliveries/s', pairs, '≥ 0.7'),
      comparedLine(
        '  processor time of one, without MongoDB on the bare side, µs',
        pairs,
        ({ workerUs, mongoUs, redisUs }) => workerUs + mongoUs + redisUs,
        '≤ 1.6',
      ),
      figureLine('    of the worker, µs', pairs, ({ workerUs }) => workerUs),
      figureLine('    of MongoDB, µs', pairs, ({ mongoUs }) => mongoUs),
      figureLine('    of Redis, µs', pairs, ({ redisUs }) => redisUs),
    ]
  },
}

export const relayCost: Benchmark = {
  describe: ({ deliveries }) =>
    `processor time of \`worker\` and MongoDB for each of ${deliveries} deliveries, from the outbox to the recorded result ÷ that of another checkout (--before)`,
  takesSeconds: ({ rounds, deliveries, before }) =>
    before === null ? 0 : 30 + (6 + rounds * 2) * (deliveries / 2500),
  async measure(bench) {
    if (bench.before === null) return []
    const earlier = { ...bench, runtime: { ...bench.runtime, programs: buildEarlier(bench.before) } }
    const pairs = await withOutboxes(bench, 'relay-cost', ({ database }, drainNow) =>
      withOutboxes(earlier, 'relay-cost-before', async (_setting, drainBefore) => {
        for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1) await drainNow()
        for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1) await drainBefore()
        const measured = await alternate(bench.rounds, drainNow, drainBefore)
        const logged = await database.collection('events').countDocuments()
        const due = bench.deliveries * (WARM_UP_DRAINS + bench.rounds)
        if (logged !== due) throw new Error(`${logged} events are in the log, not ${due}`)
        return measured
      }),
    )
    return [
      comparedLine('relay-cost ÷ before, µs', pairs, ({ workerUs, mongoUs }) => workerUs + mongoUs),
      comparedLine('  worker', pairs, ({ workerUs }) => workerUs),
      comparedLine('  MongoDB', pairs, ({ mongoUs }) => mongoUs),
      rateLine('  deliveries/s', pairs),
    ]
  },
}

const withOutboxes = <Result>(
  bench: Bench,
  name: string,
  use: (setting: Setting, drainOnce: () => Promise<Drained>) => Promise<Result>,
): Promise<Result> => {
  const events: ['payment.created'] = ['payment.created']
  return withService(bench, name, { merchants: MERCHANTS, events, worker: false }, async (setting) => {
    const { arrivals, service } = setting
    for (const port of arrivals.ports) await arrivals.behave(port, 'counts')
    const outboxes = await openOutboxes(bench, setting)
    const worker = service.startWorker()
    const result = await use(setting, () => drainOutboxes(bench, setting, outboxes, worker))
    await outboxes.close()
    return result
  })
}

async function drainOutboxes(
  bench: Bench,
  { arrivals, database }: Setting,
  outboxes: Outboxes,
  worker: Running,
): Promise<Drained> {
  const drained = await drain(bench, arrivals, {
    pids: { worker: worker.pid, mongo: bench.pids.mongo(), redis: bench.pids.redis() },
    fill: () => outboxes.fill(bench.deliveries),
    begin: () => outboxes.wake(),
    async end() {
      await lastArrival(arrivals, bench.deliveries)
      await allRecorded(database, bench.deliveries, POLL_MS)
      return nowMs()
    },
  })
  await outboxes.clear()
  return drained
}

async function drain({ deliveries }: Bench, arrivals: Arrivals, side: Side): Promise<Drained> {
  await arrivals.forget()
  await side.fill()
  const { worker, mongo, redis } = side.pids
  const stopwatches = [worker, mongo, redis].map((pid) => stopwatch(pid, deliveries))
  const startedAt = nowMs()
  await side.begin()
  const endedAt = await side.end()
  const [workerUs = 0, mongoUs = 0, redisUs = 0] = stopwatches.map((each) => each())
  return { perSecond: deliveries / ((endedAt - startedAt) / 1000), workerUs, mongoUs, redisUs }
}

function stopwatch(pid: number | undefined, count: number): () => number {
  if (pid === undefined) return () => 0
  const before = processorMs(pid)
  return () => ((processorMs(pid) - before) * 1000) / count
}

/** Waits until `count` deliveries have arrived. @throws {Error} if more arrive */
async function lastArrival(arrivals: Arrivals, count: number): Promise<number> {
  await waitForCount('deliveries have arrived', count, async () => (await arrivals.counted()).count, POLL_MS)
  return (await arrivals.counted()).lastAt
}
