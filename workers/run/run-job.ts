import { setTimeout as pause } from 'node:timers/promises'
import { DelayedError, type Job, UnrecoverableError } from 'bullmq'
import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/jobs.ts'
import type { Done, NextStep, QueueWorker } from './queue-worker.ts'
import { traceJob } from './trace-job.ts'

/** After a fault of MongoDB or of ours a job comes again this much later, unless its queue says otherwise; it is no attempt. */
const faultWaitMs = 5000

/** Redis is waited for no longer: a process that stops must end. Unheard, the job comes again when its lock is over. */
const putBackMs = 3000

/** Sooner than this nothing is worth the way back to Redis. */
const shortestWaitMs = 100

/**
 * Does one job, writes its log line, and tells BullMQ what becomes of it. BullMQ's own retries are not used: when a job comes again is
 * decided in MongoDB, and a job that only waits is half as large in Redis as one that was thrown and counted.
 */
export async function runJob(
  deps: Deps,
  work: QueueWorker<QueueName>,
  job: Job,
  token: string | undefined,
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
  try {
    await deps.databaseTime.unsure()
    const done = await work.run(deps, job.data as Jobs[QueueName], { jobId, name })
    nextStep = done.nextStep
    outcome = nextStep.next
    const traceId = span?.end(about(), done)
    deps.log[levelOf(done)]({ ...about(), ...done.log, traceId }, done.event)
  } catch (err) {
    outcome = 'fault'
    const traceId = span?.end(about(), null)
    deps.log.warn({ ...about(), err, traceId }, 'job.interrupted')
    const again = { next: 'later', at: new Date(deps.now().getTime() + faultWaitMs) } as const
    nextStep = work.afterFault === 'complete' ? { next: 'complete' } : again
  }
  deps.metrics.jobs.observe({ queue: work.queue, outcome }, (performance.now() - startedAt) / 1000)
  await obey(deps, nextStep, job, token)
}

function levelOf({ isNoise, isWarning }: Done): 'debug' | 'info' | 'warn' {
  if (isWarning === true) return 'warn'
  return isNoise === true ? 'debug' : 'info'
}

async function obey(deps: Deps, nextStep: NextStep, job: Job, token: string | undefined): Promise<void> {
  switch (nextStep.next) {
    case 'complete':
      return
    case 'fail':
      throw failure(nextStep.reason)
    case 'later':
      await mustBeHeard(putBack(deps, nextStep, job, token)).catch((err) =>
        deps.log.warn({ err, queue: job.queueName, jobId: job.id }, 'job.not-put-back'),
      )
      // Also where Redis did not hear of it: thrown anything else, the job would stand in *failed* as if its delivery were DEAD. Left in
      // hand without a lock, it comes again in some seconds.
      throw new DelayedError()
  }
}

async function putBack(
  deps: Deps,
  { at }: Extract<NextStep, { next: 'later' }>,
  job: Job,
  token: string | undefined,
): Promise<void> {
  const waitMs = Math.max(shortestWaitMs, at.getTime() - deps.now().getTime())
  // BullMQ goes by the machine's clock, which need not be ours.
  await job.moveToDelayed(Date.now() + waitMs, token)
}

/** Throws where Redis does not hear of it in time: BullMQ's connection of a worker keeps what it is told for as long as Redis is away. */
async function mustBeHeard(telling: Promise<void>): Promise<void> {
  const told = new AbortController()
  const { signal } = told
  const late = pause(putBackMs, undefined, { signal }).then(() => {
    throw new Error('Redis did not answer in time')
  })
  await Promise.race([telling, late]).finally(() => told.abort())
}

/** Whatever BullMQ thinks of the job, it ends here. Where in our code that was tells nobody anything, and takes room in Redis. */
function failure(reason: string): Error {
  const error = new UnrecoverableError(reason)
  error.stack = ''
  return error
}
