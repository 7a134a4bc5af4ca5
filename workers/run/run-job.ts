import { DelayedError, type Job } from 'bullmq'
import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/jobs.ts'
import { retriesFrom } from '../../src/webhooks/priority.ts'
import type { JobAbout, NextStep, QueueWorker } from './queue-worker.ts'

/** After a fault of MongoDB or of ours the job comes again this much later; it is no attempt. */
const faultWaitMs = 5000

/** An attempt failed and its next one is at `at`; null = there is none. Travels from the processor to the backoff. */
class AttemptFailed extends Error {
  readonly at: Date | null

  constructor(reason: string, at: Date | null) {
    super(reason)
    // Bull Board shows it. Where in our code this was made tells nobody anything, and would be a third of the job in Redis.
    this.stack = reason
    this.at = at
  }
}

/** The wait in milliseconds after an error, -1 to give up. Never throws and always answers: BullMQ has no plan for that. */
export function backoffMs(error: Error | undefined, now: Date): number {
  if (!(error instanceof AttemptFailed)) return faultWaitMs
  return error.at === null ? -1 : Math.max(0, error.at.getTime() - now.getTime())
}

/** Does one job, writes its log line, and tells BullMQ what becomes of it. */
export async function runJob(
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
  let nextStep: NextStep
  try {
    const done = await work.run(deps, job.data as Jobs[QueueName], aboutJob(job))
    nextStep = done.nextStep
    deps.log[done.isNoise === true ? 'debug' : 'info']({ ...about(), ...done.log }, done.event)
  } catch (err) {
    deps.log.warn({ ...about(), err }, 'job.interrupted')
    nextStep = { next: 'later', at: new Date(deps.now().getTime() + faultWaitMs) }
  }
  await obey(deps, nextStep, job, token)
}

/** A job that goes back without an attempt was started once more than it was tried. */
const aboutJob = (job: Job): JobAbout => ({
  jobId: job.id ?? '',
  hasWaited: job.attemptsStarted > job.attemptsMade + 1,
})

async function obey(deps: Deps, nextStep: NextStep, job: Job, token: string | undefined): Promise<void> {
  switch (nextStep.next) {
    case 'complete':
      return
    case 'again':
      // Once is enough: what matters is that it is no longer among the fresh ones.
      if (job.priority < retriesFrom) await job.changePriority({ priority: nextStep.priority })
      throw new AttemptFailed('attempt failed', nextStep.at)
    case 'move':
      deps.nudge(nextStep.to, [{ data: job.data, jobId: job.id, delayMs: 0, priority: job.priority }])
      return
    case 'fail':
      throw new AttemptFailed(nextStep.reason, null)
    case 'later': {
      const waitMs = Math.max(100, nextStep.at.getTime() - deps.now().getTime())
      await job.moveToDelayed(Date.now() + waitMs, token)
      throw new DelayedError()
    }
  }
}
