import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/queues/jobs.ts'

/**
 * A job's next step after a run. `later`: the job is delayed until `at`. `fail`: the job is kept among the failed jobs,
 * where support staff can see it.
 */
export type NextStep = { next: 'complete' } | { next: 'later'; at: Date } | { next: 'fail'; reason: string }

/**
 * The result of a job. The job writes a single log line, which consists of `event` and `log`. If `isNoise` is true, the
 * line is logged at `debug`, because nothing has happened and there may be very many such lines. If `isWarning` is
 * true, the line is logged at `warn`.
 */
export interface Done {
  nextStep: NextStep
  event: string
  log: Record<string, unknown>
  /** The `traceparent` of each request that caused the work. */
  traces?: string[]
  isNoise?: boolean
  isWarning?: boolean
}

export interface JobIdentity {
  jobId: string
  name: string
}

/**
 * The worker for one queue. If `run` throws, the job runs again later. With `afterFault: 'complete'`, the job completes
 * instead, because a poll finds its work.
 */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  afterFault?: 'complete'
  run(deps: Deps, data: Jobs[Name], identity: JobIdentity): Promise<Done>
}
