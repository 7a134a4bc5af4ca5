import { DelayedError, type Job } from 'bullmq'
import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/jobs.ts'
import type { NextStep, QueueWorker } from './queue-worker.ts'

/** After a fault of MongoDB or of ours the job comes again this much later; it is no attempt. */
const faultWaitMs = 5000

/** An attempt failed and its next one is at `at`; null = there is none. Travels from the processor to the backoff. */
class AttemptFailed extends Error {
  readonly at: Date | null

  constructor(reason: string, at: Date | null) {
    super(reason)
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
    const done = await work.run(deps, job.data as Jobs[QueueName])
    nextStep = done.nextStep
    deps.log.info({ ...about(), ...done.log }, done.event)
  } catch (err) {
    deps.log.warn({ ...about(), err }, 'job.interrupted')
    nextStep = { next: 'later', at: new Date(deps.now().getTime() + faultWaitMs) }
  }
  await obey(deps, nextStep, job, token)
}

async function obey(deps: Deps, nextStep: NextStep, job: Job, token: string | undefined): Promise<void> {
  switch (nextStep.next) {
    case 'complete':
      return
    case 'again':
      throw new AttemptFailed('attempt failed', nextStep.at)
    case 'fail':
      throw new AttemptFailed(nextStep.reason, null)
    case 'later': {
      const waitMs = Math.max(100, nextStep.at.getTime() - deps.now().getTime())
      await job.moveToDelayed(Date.now() + waitMs, token)
      throw new DelayedError()
    }
  }
}
