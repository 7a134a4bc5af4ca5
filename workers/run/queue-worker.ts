import type { Jobs, QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'

/** `later` delays the job until `at`. `fail` puts it among the failed jobs, where support staff can see it. */
export type NextStep = { next: 'complete' } | { next: 'later'; at: Date } | { next: 'fail'; reason: string }

/**
 * Each run writes one log line. With `isNoise` it has level debug, because nothing happened and there may be very many
 * of them; with `isWarning`, level warn.
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
 * If `run` throws, the job is retried a few seconds later. With `afterFault: 'complete'`, it completes instead, because
 * a poll will find its work.
 */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  afterFault?: 'complete'
  run(deps: Deps, data: Jobs[Name], identity: JobIdentity): Promise<Done>
}
