import { type Job, Worker } from 'bullmq'
import { type QueueName, queueNames, queueOptions } from '../../schemas/jobs.ts'
import { expireDue } from '../../src/intents/expire.ts'
import { queryDueWallets } from '../../src/intents/query-wallets.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { type Log, throttled } from '../../src/platform/log.ts'
import { createRunningWork, type RunningWork } from '../../src/platform/running-work.ts'
import { inTime } from '../../src/platform/timeout.ts'
import { mastersOf, openRedis, type RedisConnection } from '../../src/queues/open-redis.ts'
import { pollOutboxes } from '../../src/relay/relay.ts'
import { replayWork } from '../../src/replays/run.ts'
import { cleanUpWork } from '../../src/retention/clean-up.ts'
import { checkWork } from '../../src/verification/nightly-check.ts'
import { attemptDue, attemptWaiting } from '../../src/webhooks/attempts/attempt-due.ts'
import { finishPlans } from '../../src/webhooks/deliveries/requeue.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { type Loops, startLoops, type Work } from '../../src/work/loop.ts'
import { intentExpiry } from '../intent-expiry.ts'
import { maintenance, requestRestore, restoreEveryMs } from '../maintenance.ts'
import { outboxRelay } from '../outbox-relay.ts'
import { retention } from '../retention.ts'
import { walletOutcome } from '../wallet-outcome.ts'
import { webhookDelivery } from '../webhook-delivery.ts'
import type { QueueWorker } from './queue-worker.ts'
import { runJob } from './run-job.ts'

/** All work that a worker looks for in MongoDB. */
export const works: readonly Work[] = [
  { name: 'outbox-relay', queue: 'outbox-relay', everyMs: 2_000, run: (deps) => pollOutboxes(deps) },
  // A lease lasts 10 s. `attemptDue` skips deliveries until 0.5 s after their lease has ended, and the next run follows
  // within about 2 s. Another worker therefore takes over the deliveries of a dead worker within 13 s.
  { name: 'webhook-delivery', queue: 'webhook-delivery', everyMs: 2_000, run: attemptDue },
  replayWork,
  { name: 'intent-expiry', queue: 'intent-expiry', everyMs: 2_000, run: (deps) => expireDue(deps) },
  { name: 'wallet-outcome', queue: 'wallet-outcome', everyMs: 2_000, run: queryDueWallets },
  { name: 'requeue-plans', queue: 'maintenance', everyMs: 6_000, run: finishPlans },
  { name: 'failing-endpoints', queue: 'maintenance', everyMs: 6_000, run: reportFailures },
  cleanUpWork,
  checkWork,
]

/** Returns the worker for each queue. */
const createWorkers = (loops: Loops): { [Name in QueueName]: QueueWorker<Name> } => ({
  'outbox-relay': outboxRelay,
  'webhook-delivery': webhookDelivery,
  'intent-expiry': intentExpiry,
  'wallet-outcome': walletOutcome,
  maintenance,
  retention: retention(loops),
})

/**
 * How long a worker that is shutting down waits for its running polls. If they take longer, the polls of other
 * processes find the remaining work.
 */
const pollGraceMs = 3000
/**
 * The last part of SHUTDOWN_TIMEOUT_SECONDS. At its beginning, the attempts that are still in flight are cut. It is
 * long enough for one call to MongoDB (5 s), even if MongoDB is frozen.
 */
const afterCutMs = 7000
/** How long a worker that has cut its attempts waits for the results that have arrived before the cut. */
const lastResultsMs = 2000
/** How long a worker that is shutting down waits for Redis to accept the results of its last jobs. */
const redisGraceMs = 3000

/**
 * The maximum concurrency of a single BullMQ worker. BullMQ fetches jobs one by one, and does not start any of them as
 * long as it can fetch more. In measurements with a concurrency of 200, many jobs therefore waited for 300 ms. To avoid
 * this, a queue with a high concurrency gets several BullMQ workers with a lower concurrency each.
 */
const maxConcurrency = 25

/**
 * Starts the workers for the configured queues. `close` stops them, and resolves when the running work has ended or has
 * been cut.
 */
export function startWorkers(deps: Deps): { close(): Promise<void> } {
  const connection = openRedis(deps.config, { maxRetriesPerRequest: null })
  const warnUnavailable = throttled(5000, (fields) => deps.log.warn(fields, 'redis.unavailable'))
  const warnOfQueueError = throttled(5000, (fields) => deps.log.warn(fields, 'queue.error'))
  connection.on('error', (err) => warnUnavailable({ err }))
  void warnOfEviction(connection, deps.log)
  const running = createRunningWork()
  const loops = startLoops(deps, works)
  const workers = createWorkers(loops)
  const bullWorkers = deps.config.workerQueues.flatMap((name) =>
    splitConcurrency(queueOptions[name].concurrency).map((concurrency) => {
      const worker = startWorker(deps, workers[name], concurrency, connection, running)
      worker.on('error', (err) => warnOfQueueError({ err, queue: name }))
      return worker
    }),
  )
  if (deps.config.workerQueues.includes('webhook-delivery')) deps.slots.open()
  deps.slots.onAvailable(() =>
    attemptWaiting(deps).catch((err: unknown) => {
      deps.log.warn({ err }, 'webhook.not-started')
      return 0
    }),
  )
  const timers = startTimers(deps)

  async function workEnded(polled: Promise<void>): Promise<void> {
    await running.ended()
    await inTime(polled, pollGraceMs)
    await deps.backgroundWork.ended()
  }

  return {
    async close() {
      timers.stopChecks()
      deps.slots.close()
      const polled = loops.stop()
      const closed = Promise.allSettled(bullWorkers.map((worker) => worker.close()))
      const isDone = await inTime(workEnded(polled), deps.config.shutdownTimeoutMs - afterCutMs)
      if (!isDone) await cutAttempts(deps)
      // The wait for BullMQ is limited, because BullMQ itself would wait for Redis indefinitely. Nothing is lost,
      // because all results are already in MongoDB.
      await inTime(closed, redisGraceMs)
      timers.stop()
      connection.disconnect()
    },
  }
}

/**
 * Ends the attempts whose requests are still in flight, and gives up their leases, so that other workers attempt these
 * deliveries as soon as they poll. The attempts do not count. Everything else that is still running is repeated by
 * another worker: a wallet query because its time is stored with the hold, and a job because its lock expires.
 */
async function cutAttempts({
  leases,
  backgroundWork,
  log,
}: Pick<Deps, 'backgroundWork' | 'leases' | 'log'>): Promise<void> {
  await leases.giveUp().then(
    (attempts) => log.info({ attempts }, 'attempts.cut'),
    (err: unknown) => log.warn({ err }, 'leases.not-given-up'),
  )
  await inTime(backgroundWork.ended(), lastResultsMs)
}

/** Splits a queue's concurrency evenly among several BullMQ workers. */
function splitConcurrency(concurrency: number): number[] {
  const count = Math.ceil(concurrency / maxConcurrency)
  return Array.from({ length: count }, () => Math.ceil(concurrency / count))
}

/** A worker that completes a job without readable data as invalid. BullMQ would fetch the job for ever. */
class LenientWorker extends Worker {
  protected override createJob(json: Parameters<Worker['createJob']>[0], id: string): Job {
    try {
      return super.createJob(json, id)
    } catch {
      return super.createJob({ ...json, data: 'null' }, id)
    }
  }
}

function startWorker(
  deps: Deps,
  work: QueueWorker<QueueName>,
  concurrency: number,
  connection: RedisConnection,
  running: RunningWork,
): Worker {
  const { keepCompletedSeconds, keepFailedSeconds } = queueOptions[work.queue]
  const process = (job: Job, token: string | undefined): Promise<void> => {
    const run = runJob(deps, work, job, token)
    // A process that is shutting down does not wait for a `maintenance` job, which may take a long time. Another
    // process will restore the lost jobs.
    return work.queue === 'maintenance' ? run : running.add(run)
  }
  return new LenientWorker(work.queue, process, {
    connection,
    prefix: deps.config.queuePrefix,
    concurrency,
    // How long a worker waits after an error such as a failover of Redis. Meanwhile, the polls find the work.
    runRetryDelay: 1000,
    // If a worker is killed, the locks on its jobs expire within 8 s. BullMQ looks for expired locks every 4 s, so the
    // jobs run again within 12 s. The lease of a delivery lasts about as long (10 s).
    lockDuration: 8000,
    stalledInterval: 4000,
    // BullMQ must never give up on a job that was interrupted, because the attempts are counted in MongoDB.
    maxStalledCount: 1_000_000,
    removeOnComplete: kept(keepCompletedSeconds),
    removeOnFail: kept(keepFailedSeconds),
  })
}

/**
 * Returns the BullMQ option for how long finished jobs are kept. BullMQ removes old completed jobs only when another
 * job completes, and old failed jobs only when another job fails. With an age of 0, the most recent job would therefore
 * stay, so a count of 0 is used instead.
 */
const kept = (seconds: number) => (seconds === 0 ? { count: 0 } : { age: seconds })

/**
 * Logs a warning if Redis is configured to evict keys when it is full. Jobs would then disappear without an error, and
 * their work would have to wait for a poll. Logs nothing if Redis forbids the `INFO` command.
 */
async function warnOfEviction(connection: RedisConnection, log: Log): Promise<void> {
  // This waits until the connection is ready, and a cluster is known.
  await connection.ping().catch(() => undefined)
  const infos = mastersOf(connection).map((master) => master.info('memory').catch(() => ''))
  for (const memory of await Promise.all(infos)) {
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
    if (policy !== undefined && policy !== 'noeviction') log.warn({ policy }, 'redis.evicts')
  }
}

/**
 * How often leases are renewed. A lease lasts 10 s, so if two renewals in a row fail, the third one still comes a
 * second before the lease ends. A renewal also detects attempts whose endpoint has been deleted or disabled.
 */
const renewEveryMs = 3_000
/**
 * How often to check that every queue has a worker. The first check is also delayed by this time, because other
 * processes need time to start.
 */
const checkQueuesEveryMs = 60_000

/**
 * Starts the timers of a worker process, which renew leases, enqueue restore jobs, and check that every queue has a
 * worker.
 */
function startTimers(deps: Pick<Deps, 'config' | 'enqueue' | 'leases' | 'log' | 'queues'>): {
  stopChecks(): void
  stop(): void
} {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const restoring = setInterval(() => requestRestore(deps), restoreEveryMs)
  const checkingQueues = setInterval(() => void warnOfUnattended(deps), checkQueuesEveryMs)
  // A process that has just started knows nothing about Redis, and after a failover Redis may lack its last writes. If
  // the marker cannot be removed, the connection is about to be re-established anyway.
  const doubt = (): void => void deps.queues.standing.doubt().catch(() => undefined)
  doubt()
  deps.queues.whenReady(doubt)
  return {
    stopChecks() {
      clearInterval(restoring)
      clearInterval(checkingQueues)
    },
    stop: () => clearInterval(renewing),
  }
}

/**
 * Logs a warning that lists the queues for which no process is running a worker. If WORKER_QUEUES is set for every
 * process, a queue may have been left out by mistake, and its jobs would wait without any error. A process that works
 * on all queues skips this check.
 */
export async function warnOfUnattended(deps: Pick<Deps, 'config' | 'queues' | 'log'>): Promise<void> {
  const others = queueNames.filter((name) => !deps.config.workerQueues.includes(name))
  if (others.length === 0) return
  // `workers` is null if Redis is down or forbids the query.
  const workers = await deps.queues.counts.workers().catch(() => null)
  const queues = others.filter((name) => workers?.get(name) === 0)
  if (queues.length > 0) deps.log.warn({ queues }, 'queue.unattended')
}
