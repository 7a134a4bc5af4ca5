import { DelayedError, type Job, UnrecoverableError } from 'bullmq'
import { type JobPayloads, type QueueName, queueSettings } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { withTimeout } from '../../src/platform/timeout.ts'

/** Logged at info, at debug if `isNoise`, or at warn if `isWarning`. */
export interface JobResult {
  event: string
  log: Record<string, unknown>
  /** The job runs again at this time. By default, it completes. */
  againAt?: Date | null
  /** Makes the job fail, so that support staff can see it. */
  failure?: string
  traces?: string[]
  isNoise?: boolean
  isWarning?: boolean
}

/** `complete`: if `run` throws, the job ends and a poll finds its work. */
export interface QueueWorker<Name extends QueueName> {
  afterFault?: 'complete'
  run(deps: Deps, data: JobPayloads[Name], identity: { jobId: string; name: string }): Promise<JobResult>
}

const faultWaitMs = 5000

/** A shutdown waits no longer for Redis. The job's lock will expire. */
const putBackMs = 3000

/** A shorter delay isn't worth the round trip to Redis. */
const shortestWaitMs = 100

/**
 * Completes a job with invalid data, because retries can't help. We delay
 * jobs ourselves, because BullMQ's retries take twice the space in Redis.
 */
export async function runJob(
  deps: Deps,
  queue: QueueName,
  work: QueueWorker<QueueName>,
  job: Job,
  token?: string,
): Promise<void> {
  const startedAt = performance.now()
  const { id: jobId = '', name } = job
  const about = () => ({ queue, jobId, durationMs: Math.round(performance.now() - startedAt) })
  const span = traceJob(deps, queue)
  let next: NextStep = {}
  let isValid = false
  let outcome: 'complete' | 'later' | 'fail' | 'fault' = 'fault'
  try {
    deps.validate(queueSettings[queue].job, job.data)
    isValid = true
    await deps.databaseTime.unsure()
    const result = await work.run(deps, job.data as JobPayloads[QueueName], { jobId, name })
    next = result
    const traceId = span?.end(about(), result)
    deps.log[levelOf(result)]({ ...about(), ...result.log, traceId }, result.event)
    outcome = outcomeOf(result)
  } catch (err) {
    const traceId = span?.end(about(), null)
    if (isValid) deps.log.warn({ ...about(), err, traceId }, 'job.interrupted')
    else deps.log.warn({ ...about(), err, traceId }, 'job.invalid')
    const isOver = !isValid || work.afterFault === 'complete'
    next = { againAt: isOver ? null : new Date(deps.now().getTime() + faultWaitMs) }
  }
  const { failure, againAt } = next
  deps.metrics.jobs.observe({ queue, outcome }, (performance.now() - startedAt) / 1000)
  if (failure !== undefined) throw failureOf(failure)
  if (againAt) await delay(deps, againAt, job, token)
}

type NextStep = Pick<JobResult, 'againAt' | 'failure'>

function outcomeOf({ againAt, failure }: NextStep): 'complete' | 'later' | 'fail' {
  if (failure !== undefined) return 'fail'
  return againAt ? 'later' : 'complete'
}

function levelOf({ isNoise, isWarning }: JobResult): 'debug' | 'info' | 'warn' {
  if (isWarning === true) return 'warn'
  return isNoise === true ? 'debug' : 'info'
}

async function delay(deps: Pick<Deps, 'log' | 'now'>, at: Date, job: Job, token?: string): Promise<never> {
  const waitMs = Math.max(shortestWaitMs, at.getTime() - deps.now().getTime())
  // BullMQ uses the system clock, which may differ from database time.
  const delayed = job.moveToDelayed(Date.now() + waitMs, token)
  // Without Redis, a worker's connection queues commands indefinitely.
  await withTimeout(delayed, putBackMs, () => {
    throw new Error('Redis did not respond in time')
  }).catch((err) => deps.log.warn({ err, queue: job.queueName, jobId: job.id }, 'job.not-delayed'))
  // Any other error would mark the job as failed. A job left active runs
  // again when its lock expires.
  throw new DelayedError()
}

/** BullMQ doesn't retry this error. A stack would take up memory in Redis. */
function failureOf(reason: string): Error {
  const error = new UnrecoverableError(reason)
  error.stack = ''
  return error
}

/** Each job has its own trace, linked to the traces of its requests. */
function traceJob({ tracing }: Pick<Deps, 'tracing'>, queue: QueueName) {
  if (tracing === null) return null
  const span = tracing.begin(queue, 'job', null)
  return {
    /** Returns the job's trace id, or its request's if it had exactly one. */
    end(about: { jobId: string; queue: QueueName }, result: JobResult | null): string {
      const traces = result?.traces ?? []
      for (const traceparent of traces) span.link(traceparent)
      if (result?.isNoise !== true) span.end({ facts: { ...about, ...result?.log }, failed: result === null })
      const [only] = traces
      // A traceparent has the form `version-trace-span-flags`.
      return traces.length === 1 && only !== undefined ? (only.split('-')[1] ?? '') : span.traceId
    },
  }
}
