import { DelayedError, type Job, UnrecoverableError } from 'bullmq'
import { type Jobs, jobSchemas, type QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { withTimeout } from '../../src/platform/timeout.ts'
import type { Done, NextStep, QueueWorker } from './queue-worker.ts'

/**
 * How long a job waits before it is retried after an error. This does not apply to the jobs of queues with
 * `afterFault`.
 */
const faultWaitMs = 5000

/**
 * How long to wait for Redis to confirm that it has delayed a job. If Redis takes longer, the job runs again when its
 * lock expires. Without this limit, a process might never finish shutting down.
 */
const putBackMs = 3000

/** The minimum delay of a job. A shorter delay would not be worth the round trip to Redis. */
const shortestWaitMs = 100

/**
 * Runs one job, writes its log line, and then completes, delays or fails the job. A job with invalid data completes at
 * once, because no retry could run it. BullMQ's own retries are not used, because the data in MongoDB determines when a
 * job must run again. In addition, a delayed job takes up half as much space in Redis as a job that BullMQ retries.
 */
export async function runJob(deps: Deps, work: QueueWorker<QueueName>, job: Job, token?: string): Promise<void> {
  const startedAt = performance.now()
  const { id: jobId = '', name } = job
  const about = () => ({
    queue: work.queue,
    jobId,
    durationMs: Math.round(performance.now() - startedAt),
  })
  const span = traceJob(deps, work.queue)
  let nextStep: NextStep
  let outcome: NextStep['next'] | 'fault'
  let isValid = false
  try {
    deps.validate(jobSchemas[work.queue], job.data)
    isValid = true
    await deps.databaseTime.unsure()
    const done = await work.run(deps, job.data as Jobs[QueueName], { jobId, name })
    nextStep = done.nextStep
    outcome = nextStep.next
    const traceId = span?.end(about(), done)
    deps.log[levelOf(done)]({ ...about(), ...done.log, traceId }, done.event)
  } catch (err) {
    outcome = 'fault'
    const traceId = span?.end(about(), null)
    if (isValid) deps.log.warn({ ...about(), err, traceId }, 'job.interrupted')
    else deps.log.warn({ ...about(), err, traceId }, 'job.invalid')
    const again = { next: 'later', at: new Date(deps.now().getTime() + faultWaitMs) } as const
    nextStep = !isValid || work.afterFault === 'complete' ? { next: 'complete' } : again
  }
  deps.metrics.jobs.observe({ queue: work.queue, outcome }, (performance.now() - startedAt) / 1000)
  await applyNextStep(deps, nextStep, job, token)
}

function levelOf({ isNoise, isWarning }: Done): 'debug' | 'info' | 'warn' {
  if (isWarning === true) return 'warn'
  return isNoise === true ? 'debug' : 'info'
}

async function applyNextStep(
  deps: Pick<Deps, 'log' | 'now'>,
  nextStep: NextStep,
  job: Job,
  token: string | undefined,
): Promise<void> {
  switch (nextStep.next) {
    case 'complete':
      return
    case 'fail':
      throw failure(nextStep.reason)
    case 'later':
      // The wait for Redis is limited, because a worker's Redis connection keeps commands in memory as long as Redis is
      // down.
      await withTimeout(putBack(deps, nextStep.at, job, token), putBackMs, () => {
        throw new Error('Redis did not respond in time')
      }).catch((err) => deps.log.warn({ err, queue: job.queueName, jobId: job.id }, 'job.not-delayed'))
      // This error is thrown even if Redis has not responded, because any other error would add the job to the failed
      // jobs, as if its delivery were DEAD. If Redis has not responded, the job stays active until its lock expires,
      // and then runs again within a few seconds.
      throw new DelayedError()
  }
}

async function putBack(deps: Pick<Deps, 'now'>, at: Date, job: Job, token: string | undefined): Promise<void> {
  const waitMs = Math.max(shortestWaitMs, at.getTime() - deps.now().getTime())
  // BullMQ measures delays with the system clock, which may differ from database time, so the delay is added to the
  // system time here.
  await job.moveToDelayed(Date.now() + waitMs, token)
}

/**
 * Returns an error that makes BullMQ fail the job immediately. The error's stack is removed, because it would be of no
 * use and would take up memory in Redis.
 */
function failure(reason: string): Error {
  const error = new UnrecoverableError(reason)
  error.stack = ''
  return error
}

/**
 * Starts the span of a job. A job has a trace of its own, with a link to the trace of each request, because a job may
 * work for many requests or for none. The work for each request also has a separate span in the trace of that request.
 * No span is recorded for a job that finds no work, because there may be hundreds of such jobs per second. Returns null
 * if tracing is off.
 */
function traceJob({ tracing }: Pick<Deps, 'tracing'>, queue: QueueName) {
  if (tracing === null) return null
  const span = tracing.begin(queue, 'job', null)
  return {
    /**
     * Ends the span. `done` is null if the job threw an error. Returns the trace id for the log. If exactly one request
     * caused the work, this is the id of that request's trace, otherwise the id of the job's own trace.
     */
    end(about: { jobId: string; queue: QueueName }, done: Done | null): string {
      const traces = done?.traces ?? []
      for (const traceparent of traces) span.link(traceparent)
      if (done?.isNoise !== true) span.end({ facts: { ...about, ...done?.log }, failed: done === null })
      const [only] = traces
      // A traceparent has the form `version-trace-span-flags`.
      return traces.length === 1 && only !== undefined ? (only.split('-')[1] ?? '') : span.traceId
    },
  }
}
