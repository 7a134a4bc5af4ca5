import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { Deps } from '../../src/deps.ts'
import { inTime } from '../../src/in-time.ts'
import { type QueueName, queueOptions } from '../../src/jobs.ts'
import { throttled } from '../../src/log.ts'
import { startPolling } from '../../src/poll.ts'
import { attemptWaiting } from '../../src/webhooks/attempts/attempt-due.ts'
import { intentExpiry } from '../intent-expiry.ts'
import { maintenance } from '../maintenance.ts'
import { outboxRelay } from '../outbox-relay.ts'
import { retention } from '../retention.ts'
import { walletOutcome } from '../wallet-outcome.ts'
import { webhookDelivery } from '../webhook-delivery.ts'
import type { QueueWorker } from './queue-worker.ts'
import { runJob } from './run-job.ts'
import { startTimers } from './timers.ts'
import { warnOfEviction } from './warn-of-eviction.ts'

/** What runs each queue; `ending` tells what takes long that the process is to end. */
const workersUntil = (ending: AbortSignal): { [Name in QueueName]: QueueWorker<Name> } => ({
  'outbox-relay': outboxRelay,
  'webhook-delivery': webhookDelivery,
  'intent-expiry': intentExpiry,
  'wallet-outcome': walletOutcome,
  maintenance,
  retention: retention(ending),
})

/** How long an ending worker waits for its last look at MongoDB. A look that is cut is made up for by another process. */
const pollGraceMs = 3000
/** How long an ending worker waits for Redis to hear how its last jobs went. */
const redisGraceMs = 3000

/**
 * BullMQ fetches jobs one after the other, and begins none of them as long as there are more to fetch and places left: with 200 places
 * many a job stood there for 300 ms. So a queue has several loops, in each of which at most so many may stand.
 */
const mostOfOneLoop = 25

/** Runs the workers of the configured queues. `close` lets what is under way end. */
export function startWorkers(deps: Deps): { close(): Promise<void> } {
  const connection = new Redis(deps.config.redisUrl, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * 100, 1000),
  })
  const complain = throttled(5000, (fields) => deps.log.warn(fields, 'redis.unavailable'))
  const complainOfQueue = throttled(5000, (fields) => deps.log.warn(fields, 'queue.fault'))
  connection.on('error', (err) => complain({ err }))
  void warnOfEviction(connection, deps.log)
  const underWay = new Set<Promise<void>>()
  const ending = new AbortController()
  const workers = workersUntil(ending.signal)
  const running = deps.config.workerQueues.flatMap((name) =>
    loopsOf(queueOptions[name].concurrency).map((concurrency) => {
      const worker = startWorker(deps, workers[name], concurrency, connection, underWay)
      worker.on('error', (err) => complainOfQueue({ err, queue: name }))
      return worker
    }),
  )
  if (deps.config.workerQueues.includes('webhook-delivery')) deps.slots.open()
  deps.slots.onRoom(() =>
    attemptWaiting(deps).catch((err: unknown) => deps.log.warn({ err }, 'webhook.not-begun')),
  )
  const polling = startPolling(deps)
  const timers = startTimers(deps)
  return {
    async close() {
      timers.stopAsking()
      deps.slots.close()
      ending.abort()
      const polled = polling.stop()
      const closed = Promise.all(running.map((worker) => worker.close()))
      while (underWay.size > 0) await Promise.allSettled(underWay)
      await inTime(polled, pollGraceMs)
      await deps.underWay.ended()
      // What is done stands in MongoDB. BullMQ would wait for Redis for as long as it is away.
      await inTime(closed, redisGraceMs)
      timers.stop()
      connection.disconnect()
    },
  }
}

/** How many jobs each loop of a queue runs at once. */
function loopsOf(concurrency: number): number[] {
  const count = Math.ceil(concurrency / mostOfOneLoop)
  return Array.from({ length: count }, () => Math.ceil(concurrency / count))
}

function startWorker(
  deps: Deps,
  work: QueueWorker<QueueName>,
  concurrency: number,
  connection: Redis,
  underWay: Set<Promise<void>>,
): Worker {
  const { keepCompletedSeconds, keepFailedSeconds } = queueOptions[work.queue]
  const run = (job: Job, token: string | undefined): Promise<void> => {
    const running = runJob(deps, work, job, token).finally(() => underWay.delete(running))
    // Restoring may take long, and another process makes up for one that is cut.
    if (work.queue !== 'maintenance') underWay.add(running)
    return running
  }
  return new Worker(work.queue, run, {
    connection,
    prefix: deps.config.queuePrefix,
    concurrency,
    // A killed worker's job is free after 8 s and found at the next look: 12 s at most, and the lease is over by then.
    lockDuration: 8000,
    stalledInterval: 4000,
    // How often a job was interrupted is no reason to give it up: MongoDB counts the attempts.
    maxStalledCount: 1_000_000,
    removeOnComplete: kept(keepCompletedSeconds),
    removeOnFail: kept(keepFailedSeconds),
  })
}

/** BullMQ looks for what is too old only when a job ends in the same way: with an age of 0 the last one would stay. */
const kept = (seconds: number) => (seconds === 0 ? { count: 0 } : { age: seconds })
