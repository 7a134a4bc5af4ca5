import { setTimeout as wait } from 'node:timers/promises'
import { DelayedError, type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { Deps } from '../../src/deps.ts'
import { type Jobs, type QueueName, queueOptions } from '../../src/jobs.ts'
import { throttled } from '../../src/log.ts'
import { intentExpiry } from '../intent-expiry.ts'
import { maintenance } from '../maintenance.ts'
import { outboxRelay } from '../outbox-relay.ts'
import { webhookDelivery } from '../webhook-delivery.ts'
import type { QueueWorker, Verdict } from './queue-worker.ts'
import { startTimers } from './timers.ts'

const workers: { [Name in QueueName]: QueueWorker<Name> } = {
  'outbox-relay': outboxRelay,
  'webhook-delivery': webhookDelivery,
  'intent-expiry': intentExpiry,
  maintenance,
}

/** After a fault of MongoDB or of ours the job comes again this much later; it is no attempt. */
const faultWaitMs = 5000

/** How long an ending worker waits for Redis to hear how its last jobs went. */
const redisGraceMs = 3000

/** An attempt failed and its next one is at `at`; null = there is none. Travels from the processor to the backoff. */
class AttemptFailed extends Error {
  readonly at: Date | null

  constructor(reason: string, at: Date | null) {
    super(reason)
    this.at = at
  }
}

/** Runs the workers of the configured queues. `close` lets what is under way end. */
export function startWorkers(deps: Deps): { close(): Promise<void> } {
  const connection = new Redis(deps.config.redisUrl, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * 100, 1000),
  })
  const complain = throttled(5000, (fields) => deps.log.warn(fields, 'redis.unavailable'))
  const complainOfQueue = throttled(5000, (fields) => deps.log.warn(fields, 'queue.fault'))
  connection.on('error', (err) => complain({ err }))
  const underWay = new Set<Promise<void>>()
  const running = deps.config.workerQueues.map((name) => {
    const worker = startWorker(deps, workers[name], connection, underWay)
    worker.on('error', (err) => complainOfQueue({ err, queue: name }))
    return worker
  })
  const timers = startTimers(deps)
  return {
    async close() {
      timers.stopSweeping()
      const closed = Promise.all(running.map((worker) => worker.close()))
      while (underWay.size > 0) await Promise.allSettled(underWay)
      // What is done stands in MongoDB. BullMQ would wait for Redis for as long as it is away.
      await Promise.race([closed, wait(redisGraceMs)])
      timers.stop()
      connection.disconnect()
    },
  }
}

function startWorker(
  deps: Deps,
  work: QueueWorker<QueueName>,
  connection: Redis,
  underWay: Set<Promise<void>>,
): Worker {
  const { concurrency, keepCompletedSeconds, keepFailedSeconds } = queueOptions[work.queue]
  const run = (job: Job, token: string | undefined): Promise<void> => {
    const running = runJob(deps, work, job, token).finally(() => underWay.delete(running))
    underWay.add(running)
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
    removeOnComplete: keepCompletedSeconds === 0 ? { count: 0 } : { age: keepCompletedSeconds },
    removeOnFail: { age: keepFailedSeconds },
    settings: { backoffStrategy: (_attemptsMade, _type, error) => waitAfter(error, deps.now()) },
  })
}

/** Total, as BullMQ needs it: a wait in milliseconds for every error; -1 gives up. */
function waitAfter(error: Error | undefined, now: Date): number {
  if (!(error instanceof AttemptFailed)) return faultWaitMs
  return error.at === null ? -1 : Math.max(0, error.at.getTime() - now.getTime())
}

async function runJob(
  deps: Deps,
  work: QueueWorker<QueueName>,
  job: Job,
  token: string | undefined,
): Promise<void> {
  const startedAt = performance.now()
  const about = () => ({
    queue: work.queue,
    jobId: job.id,
    durationMs: Math.round(performance.now() - startedAt),
  })
  let verdict: Verdict
  try {
    const done = await work.run(deps, job.data as Jobs[QueueName])
    verdict = done.verdict
    deps.log.info({ ...about(), ...done.log }, done.event)
  } catch (err) {
    deps.log.warn({ ...about(), err }, 'job.interrupted')
    verdict = { next: 'later', at: new Date(deps.now().getTime() + faultWaitMs) }
  }
  await obey(deps, verdict, job, token)
}

async function obey(deps: Deps, verdict: Verdict, job: Job, token: string | undefined): Promise<void> {
  switch (verdict.next) {
    case 'complete':
      return
    case 'again':
      throw new AttemptFailed('attempt failed', verdict.at)
    case 'fail':
      throw new AttemptFailed(verdict.reason, null)
    case 'later': {
      const waitMs = Math.max(100, verdict.at.getTime() - deps.now().getTime())
      await job.moveToDelayed(Date.now() + waitMs, token)
      throw new DelayedError()
    }
  }
}
