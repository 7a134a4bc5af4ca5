import { DelayedError, type Job, UnrecoverableError } from 'bullmq'
import { type Jobs, type QueueName, queueSettings } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { withTimeout } from '../../src/platform/timeout.ts'
import type { Done, NextStep, QueueWorker } from './queue-worker.ts'

/** How long a job waits for a retry after an error. Queues with `afterFault` don't retry. */
const faultWaitMs = 5000

/**
 * How long to wait until Redis confirms that a job is delayed. If it takes longer, the job runs again when its lock
 * expires. Without this limit, a process might never finish shutting down.
 */
const putBackMs = 3000

/** A shorter delay wouldn't be worth the round trip to Redis. */
const shortestWaitMs = 100

/**
 * Runs one job, writes its log line, then completes, delays or fails it. A job with invalid data completes at once,
 * because no retry could run it. BullMQ's retries aren't used: MongoDB decides when a job must run again, and a delayed
 * job takes half as much space in Redis.
 */
export async function runJob(
  deps: Deps,
  work: QueueWorker<QueueName>,
  job: Job,
  token?: string,
): Promise<void> {
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
    deps.validate(queueSettings[work.queue].job, job.data)
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
      // The wait is limited, because a worker's connection keeps commands in memory while Redis is down.
      await withTimeout(putBack(deps, nextStep.at, job, token), putBackMs, () => {
        throw new Error('Redis did not respond in time')
      }).catch((err) => deps.log.warn({ err, queue: job.queueName, jobId: job.id }, 'job.not-delayed'))
      // Thrown even if Redis hasn't responded, because any other error would put the job among the failed ones, as if
      // its delivery were DEAD. The job then stays active until its lock expires, and runs again within a few seconds.
      throw new DelayedError()
  }
}

async function putBack(
  deps: Pick<Deps, 'now'>,
  at: Date,
  job: Job,
  token: string | undefined,
): Promise<void> {
  const waitMs = Math.max(shortestWaitMs, at.getTime() - deps.now().getTime())
  // BullMQ measures delays with the system clock, which may differ from database time.
  await job.moveToDelayed(Date.now() + waitMs, token)
}

/** Makes BullMQ fail the job at once. The stack would only take up memory in Redis. */
function failure(reason: string): Error {
  const error = new UnrecoverableError(reason)
  error.stack = ''
  return error
}

/**
 * A job has a trace of its own, because it may work for many requests or for none. It links to the trace of each
 * request, where the work for that request also has a span. Jobs that find no work get no span, because there may be
 * hundreds of them per second.
 */
function traceJob({ tracing }: Pick<Deps, 'tracing'>, queue: QueueName) {
  if (tracing === null) return null
  const span = tracing.begin(queue, 'job', null)
  return {
    /**
     * `done` is null if the job threw an error. Returns the trace id for the log: the request's if exactly one request
     * caused the work, otherwise the job's own.
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
