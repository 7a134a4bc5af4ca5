import { type Job, Worker } from 'bullmq'
import { deadShownSeconds, type QueueName, queueNames, queueSettings } from '../../schemas/jobs.ts'
import { expireDue } from '../../src/intents/expire.ts'
import { queryDueWallets } from '../../src/intents/query-wallets.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { type Log, throttled } from '../../src/platform/log.ts'
import { createRunningWork, type RunningWork } from '../../src/platform/running-work.ts'
import { succeedsWithin } from '../../src/platform/timeout.ts'
import { mastersOf, openRedis, type RedisConnection } from '../../src/queues/open-redis.ts'
import { pollOutboxes } from '../../src/relay/poll.ts'
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

export const works: readonly Work[] = [
  { name: 'outbox-relay', queue: 'outbox-relay', everyMs: 2_000, run: (deps) => pollOutboxes(deps) },
  // A lease lasts 10 s, `attemptDue` skips a delivery for another 0.5 s, and the next run follows within about 2 s. So
  // another worker takes over a dead worker's deliveries within 13 s.
  { name: 'webhook-delivery', queue: 'webhook-delivery', everyMs: 2_000, run: attemptDue },
  replayWork,
  { name: 'intent-expiry', queue: 'intent-expiry', everyMs: 2_000, run: (deps) => expireDue(deps) },
  { name: 'wallet-outcome', queue: 'wallet-outcome', everyMs: 2_000, run: queryDueWallets },
  { name: 'requeue-plans', queue: 'maintenance', everyMs: 6_000, run: finishPlans },
  { name: 'failing-endpoints', queue: 'maintenance', everyMs: 6_000, run: reportFailures },
  cleanUpWork,
  checkWork,
]

const createWorkers = (loops: Loops): { [Name in QueueName]: QueueWorker<Name> } => ({
  'outbox-relay': outboxRelay,
  'webhook-delivery': webhookDelivery,
  'intent-expiry': intentExpiry,
  'wallet-outcome': walletOutcome,
  maintenance,
  retention: retention(loops),
})

/** How long a stopping worker waits for running polls. Polls of other processes find the remaining work. */
const pollGraceMs = 3000
/**
 * The last part of SHUTDOWN_TIMEOUT_SECONDS. When it begins, attempts still in flight are aborted. It's long enough for
 * one call to MongoDB (5 s), even if MongoDB is frozen.
 */
const afterAbortMs = 7000
/** How long to wait for results that arrived before the attempts were aborted. */
const lastResultsMs = 2000
/** How long to wait for Redis to accept the results of the last jobs. */
const redisGraceMs = 3000

/**
 * The most jobs that one BullMQ worker runs at a time. It fetches jobs one by one, and starts none while it can fetch
 * more; with 200, many jobs waited for 300 ms. So a queue with a high concurrency gets several BullMQ workers.
 */
const maxConcurrency = 25

/** `close` resolves when the running work has ended or has been aborted. */
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
    splitConcurrency(queueSettings[name].concurrency).map((concurrency) => {
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
    await succeedsWithin(polled, pollGraceMs)
    await deps.backgroundWork.ended()
  }

  return {
    async close() {
      timers.stopChecks()
      deps.slots.close()
      const polled = loops.stop()
      const closed = Promise.allSettled(bullWorkers.map((worker) => worker.close()))
      const isDone = await succeedsWithin(workEnded(polled), deps.config.shutdownTimeoutMs - afterAbortMs)
      if (!isDone) await abortAttempts(deps)
      // BullMQ itself would wait for Redis indefinitely. Nothing is lost, because all results are in MongoDB.
      await succeedsWithin(closed, redisGraceMs)
      timers.stop()
      connection.disconnect()
    },
  }
}

/**
 * Aborts the requests in flight and gives up their leases, so that other workers attempt these deliveries at their next
 * poll. The aborted attempts don't count. Other running work is repeated elsewhere: a wallet query because its time is
 * stored with the hold, and a job because its lock expires.
 */
async function abortAttempts({
  leases,
  backgroundWork,
  log,
}: Pick<Deps, 'backgroundWork' | 'leases' | 'log'>): Promise<void> {
  await leases.giveUp().then(
    (attempts) => log.info({ attempts }, 'attempts.cut'),
    (err: unknown) => log.warn({ err }, 'leases.not-given-up'),
  )
  await succeedsWithin(backgroundWork.ended(), lastResultsMs)
}

function splitConcurrency(concurrency: number): number[] {
  const count = Math.ceil(concurrency / maxConcurrency)
  return Array.from({ length: count }, () => Math.ceil(concurrency / count))
}

/** Completes a job without readable data as invalid, because BullMQ would fetch it for ever. */
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
  const process = (job: Job, token: string | undefined): Promise<void> => {
    const run = runJob(deps, work, job, token)
    // Not awaited when stopping, because it may take long. Another process will restore the jobs.
    return work.queue === 'maintenance' ? run : running.add(run)
  }
  return new LenientWorker(work.queue, process, {
    connection,
    prefix: deps.config.queuePrefix,
    concurrency,
    // How long a worker waits after an error such as a failover of Redis. Meanwhile, the polls find the work.
    runRetryDelay: 1000,
    // If a worker is killed, its locks expire within 8 s. BullMQ looks for expired locks every 4 s, so the jobs run
    // again within 12 s – about as long as a delivery's lease (10 s).
    lockDuration: 8000,
    stalledInterval: 4000,
    // BullMQ must never give up on an interrupted job, because attempts are counted in MongoDB.
    maxStalledCount: 1_000_000,
    // With an age of 0, BullMQ would keep the latest job.
    removeOnComplete: { count: 0 },
    removeOnFail: work.queue === 'webhook-delivery' ? { age: deadShownSeconds } : { count: 0 },
  })
}

/** An evicted job disappears without an error, and its work waits for a poll. Redis may forbid `INFO`. */
async function warnOfEviction(connection: RedisConnection, log: Log): Promise<void> {
  // This waits until the connection is ready and the nodes of a cluster are known.
  await connection.ping().catch(() => undefined)
  const infos = mastersOf(connection).map((master) => master.info('memory').catch(() => ''))
  for (const memory of await Promise.all(infos)) {
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
    if (policy !== undefined && policy !== 'noeviction') log.warn({ policy }, 'redis.evicts')
  }
}

/**
 * A lease lasts 10 s, so if two renewals in a row fail, the third still comes a second before it ends. A renewal also
 * detects attempts whose endpoint has been deleted or disabled.
 */
const renewEveryMs = 3_000
/** The first check also waits this long, because other processes need time to start. */
const checkQueuesEveryMs = 60_000

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
  // the marker can't be removed, the connection is about to be re-established anyway.
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
 * Warns about queues that no process works on. If every process sets WORKER_QUEUES, a queue may have been left out by
 * mistake, and its jobs would wait without any error. A process that works on all queues skips this check.
 */
export async function warnOfUnattended(deps: Pick<Deps, 'config' | 'queues' | 'log'>): Promise<void> {
  const others = queueNames.filter((name) => !deps.config.workerQueues.includes(name))
  if (others.length === 0) return
  // Null if Redis is down or forbids the query.
  const workers = await deps.queues.counts.workers().catch(() => null)
  const queues = others.filter((name) => workers?.get(name) === 0)
  if (queues.length > 0) deps.log.warn({ queues }, 'queue.unattended')
}
