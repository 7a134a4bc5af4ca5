import type { Jobs, QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'

/**
 * The next step for a job after a run. `later` delays the job until `at`. `fail` adds the job to the failed jobs, where
 * support staff can see it.
 */
export type NextStep = { next: 'complete' } | { next: 'later'; at: Date } | { next: 'fail'; reason: string }

/**
 * The result of running a job. A single log line with `event` and `log` is written for each run. If `isNoise` is true,
 * the line has the level `debug`, because nothing has happened and there may be very many such lines. If `isWarning` is
 * true, the line has the level `warn`.
 */
export interface Done {
  nextStep: NextStep
  event: string
  log: Record<string, unknown>
  /** The `traceparent` of each request that caused some of the work. */
  traces?: string[]
  isNoise?: boolean
  isWarning?: boolean
}

export interface JobIdentity {
  jobId: string
  name: string
}

/**
 * The worker for one queue. If `run` throws, the job is retried a few seconds later. With `afterFault: 'complete'`, the
 * job completes instead, because a poll will find its work.
 */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  afterFault?: 'complete'
  run(deps: Deps, data: Jobs[Name], identity: JobIdentity): Promise<Done>
}
