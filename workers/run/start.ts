import { type Job, Worker } from 'bullmq'
import { deadJobSeconds, type QueueName, queueNames, queueSettings } from '../../schemas/jobs.ts'
import { expireDueIntents } from '../../src/intents/expire.ts'
import { queryDueOrders } from '../../src/intents/query-wallets.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { type Log, throttleLog } from '../../src/platform/log.ts'
import { createWorkTracker, type WorkTracker } from '../../src/platform/running-work.ts'
import { succeedsWithin } from '../../src/platform/timeout.ts'
import { openRedis, type RedisConnection, redisMasters } from '../../src/queues/open-redis.ts'
import { pollOutboxes } from '../../src/relay/poll.ts'
import { replayWork } from '../../src/replays/run.ts'
import { cleanUpWork } from '../../src/retention/clean-up.ts'
import { nightlyAuditCheck } from '../../src/verification/nightly-check.ts'
import { pollDeliveries, startWaitingAttempts } from '../../src/webhooks/attempts/attempt-due.ts'
import { finishRequeues } from '../../src/webhooks/deliveries/requeue.ts'
import { sendNotices } from '../../src/webhooks/endpoints/notices.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { type PolledWork, type PollLoops, startPollLoops } from '../../src/work/loop.ts'
import { intentExpiryWorker } from '../intent-expiry.ts'
import { maintenanceWorker, requestJobRestore, restoreEveryMs } from '../maintenance.ts'
import { outboxRelayWorker } from '../outbox-relay.ts'
import { retentionWorker } from '../retention.ts'
import { walletOutcomeWorker } from '../wallet-outcome.ts'
import { webhookDeliveryWorker } from '../webhook-delivery.ts'
import { type QueueWorker, runJob } from './run-job.ts'

export const polledWorks: readonly PolledWork[] = [
  { name: 'outbox-relay', queue: 'outbox-relay', everyMs: 2_000, run: (deps) => pollOutboxes(deps) },
  // A dead worker's deliveries are taken over within 13 s.
  { name: 'webhook-delivery', queue: 'webhook-delivery', everyMs: 2_000, run: pollDeliveries },
  replayWork,
  { name: 'intent-expiry', queue: 'intent-expiry', everyMs: 2_000, run: (deps) => expireDueIntents(deps) },
  { name: 'wallet-outcome', queue: 'wallet-outcome', everyMs: 2_000, run: queryDueOrders },
  { name: 'requeue-plans', queue: 'maintenance', everyMs: 6_000, run: finishRequeues },
  { name: 'failing-endpoints', queue: 'maintenance', everyMs: 6_000, run: reportFailures },
  { name: 'notices', queue: 'maintenance', everyMs: 6_000, run: sendNotices },
  cleanUpWork,
  nightlyAuditCheck,
]

const createWorkers = (loops: PollLoops): { [Name in QueueName]: QueueWorker<Name> } => ({
  'outbox-relay': outboxRelayWorker,
  'webhook-delivery': webhookDeliveryWorker,
  'intent-expiry': intentExpiryWorker,
  'wallet-outcome': walletOutcomeWorker,
  maintenance: maintenanceWorker,
  retention: retentionWorker(loops),
})

const pollGraceMs = 3000
/** A call to a frozen MongoDB can take 5 s of this. */
const afterAbortMs = 7000
const lastResultsMs = 2000
const redisGraceMs = 3000

/** With a higher limit, BullMQ fetches so many jobs that they wait 300 ms. */
const maxConcurrency = 25

export function startWorkers(deps: Deps): { close(): Promise<void> } {
  const connection = openRedis(deps.config, { maxRetriesPerRequest: null })
  const warnUnavailable = throttleLog(5000, (fields) => deps.log.warn(fields, 'redis.unavailable'))
  const warnOfQueueError = throttleLog(5000, (fields) => deps.log.warn(fields, 'queue.error'))
  connection.on('error', (err) => warnUnavailable({ err }))
  void warnOfEviction(connection, deps.log)
  const running = createWorkTracker()
  const loops = startPollLoops(deps, polledWorks)
  const workers = createWorkers(loops)
  const bullWorkers = deps.config.workerQueues.flatMap((name) =>
    splitConcurrency(queueSettings[name].concurrency).map((concurrency) => {
      const worker = startWorker(deps, name, workers[name], concurrency, connection, running)
      worker.on('error', (err) => warnOfQueueError({ err, queue: name }))
      return worker
    }),
  )
  if (deps.config.workerQueues.includes('webhook-delivery')) deps.slots.open()
  deps.slots.onAvailable(() =>
    startWaitingAttempts(deps).catch((err: unknown) => {
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
      // BullMQ would wait for Redis indefinitely.
      await succeedsWithin(closed, redisGraceMs)
      timers.stop()
      connection.disconnect()
    },
  }
}

/** Aborted attempts don't count. Other workers repeat them. */
async function abortAttempts(deps: Pick<Deps, 'backgroundWork' | 'leases' | 'log'>) {
  await deps.leases.giveUp().then(
    (attempts) => deps.log.info({ attempts }, 'attempts.cut'),
    (err: unknown) => deps.log.warn({ err }, 'leases.not-given-up'),
  )
  await succeedsWithin(deps.backgroundWork.ended(), lastResultsMs)
}

function splitConcurrency(concurrency: number): number[] {
  const count = Math.ceil(concurrency / maxConcurrency)
  return Array<number>(count).fill(Math.ceil(concurrency / count))
}

/** A plain Worker would fetch an unreadable job again and again. */
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
  name: QueueName,
  work: QueueWorker<QueueName>,
  concurrency: number,
  connection: RedisConnection,
  running: WorkTracker,
): Worker {
  const process = (job: Job, token: string | undefined): Promise<void> => {
    const run = runJob(deps, name, work, job, token)
    // A shutdown doesn't wait for this, because others restore the jobs too.
    return name === 'maintenance' ? run : running.add(run)
  }
  return new LenientWorker(name, process, {
    connection,
    prefix: deps.config.queuePrefix,
    concurrency,
    // The wait after an error, e.g. in a failover. Meanwhile, polls find work.
    runRetryDelay: 1000,
    // A killed worker's jobs run again within 12 s.
    lockDuration: 8000,
    stalledInterval: 4000,
    // We count attempts in MongoDB, so BullMQ must not give up.
    maxStalledCount: 1_000_000,
    // With an age of 0, BullMQ would keep the latest job.
    removeOnComplete: { count: 0 },
    removeOnFail: name === 'webhook-delivery' ? { age: deadJobSeconds } : { count: 0 },
  })
}

/** If Redis evicts a job, its work waits for a poll. */
async function warnOfEviction(connection: RedisConnection, log: Log): Promise<void> {
  // A cluster's nodes are known only after a first command.
  await connection.ping().catch(() => undefined)
  const infos = redisMasters(connection).map((master) => master.info('memory').catch(() => ''))
  for (const memory of await Promise.all(infos)) {
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
    if (policy !== undefined && policy !== 'noeviction') log.warn({ policy }, 'redis.evicts')
  }
}

/** A lease lasts 10 s, so it survives two failed renewals. */
const renewEveryMs = 3_000
/** Other processes need time to start. */
const checkQueuesEveryMs = 60_000

function startTimers(deps: Pick<Deps, 'config' | 'enqueue' | 'leases' | 'log' | 'queues'>) {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const restoring = setInterval(() => requestJobRestore(deps), restoreEveryMs)
  const checkingQueues = setInterval(() => void warnOfUnservedQueues(deps), checkQueuesEveryMs)
  // Redis may have lost writes. Runs again on each reconnect.
  const doubt = (): void => void deps.queues.storedJobs.doubt().catch(() => undefined)
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

/** If every process sets WORKER_QUEUES, a queue may have no workers. */
export async function warnOfUnservedQueues(deps: Pick<Deps, 'config' | 'queues' | 'log'>): Promise<void> {
  const others = queueNames.filter((name) => !deps.config.workerQueues.includes(name))
  if (others.length === 0) return
  // Null if Redis is down or forbids the query.
  const workers = await deps.queues.counts.workers().catch(() => null)
  const queues = others.filter((name) => workers?.get(name) === 0)
  if (queues.length > 0) deps.log.warn({ queues }, 'queue.unattended')
}
