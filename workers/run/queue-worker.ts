import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/queues/jobs.ts'

/** What happens to a job. `later`: it is delayed until `at`. `fail`: it stays among the failed jobs, where support staff see it. */
export type NextStep = { next: 'complete' } | { next: 'later'; at: Date } | { next: 'fail'; reason: string }

/**
 * The result of a job. `event` and `log` are its only log line. `isNoise` logs it at `debug`, because nothing happened and there may be very many
 * such lines. `isWarning` logs it at `warn`.
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

export interface JobAbout {
  jobId: string
  name: string
}

/**
 * How the jobs of a queue are done. If `run` throws, the job runs again later, or completes with `afterFault: 'complete'`: a poll makes up for it.
 */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  afterFault?: 'complete'
  run(deps: Deps, data: Jobs[Name], about: JobAbout): Promise<Done>
}
