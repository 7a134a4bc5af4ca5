import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/queues/jobs.ts'

/**
 * The next step of a job. `later`: the job is delayed until `at`. `fail`: it stays among the failed jobs, where support
 * staff see it.
 */
export type NextStep = { next: 'complete' } | { next: 'later'; at: Date } | { next: 'fail'; reason: string }

/**
 * The result of a job. `event` and `log` make up its only log line. `isNoise`: the line is logged at `debug`, because
 * nothing happened and there may be a great many such lines. `isWarning`: the line is logged at `warn`.
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
 * The work of one queue. If `run` throws, the job runs again later. With `afterFault: 'complete'` it completes instead,
 * because a poll finds the work.
 */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  afterFault?: 'complete'
  run(deps: Deps, data: Jobs[Name], identity: JobIdentity): Promise<Done>
}
