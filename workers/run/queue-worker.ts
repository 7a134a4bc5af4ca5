import type { Jobs, QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'

/** `later` delays the job. `fail` puts it among the failed jobs, where support staff see it. */
export type NextStep = { next: 'complete' } | { next: 'later'; at: Date } | { next: 'fail'; reason: string }

/**
 * One log line per run. `isNoise` logs at debug, for the very many runs in which nothing happened; `isWarning` at warn.
 */
export interface Done {
  nextStep: NextStep
  event: string
  log: Record<string, unknown>
  /** Of each request that caused some of the work. */
  traces?: string[]
  isNoise?: boolean
  isWarning?: boolean
}

export interface JobIdentity {
  jobId: string
  name: string
}

/**
 * If `run` throws, the job is retried after a few seconds – or completes, with `afterFault: 'complete'`, because a poll
 * finds its work.
 */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  afterFault?: 'complete'
  run(deps: Deps, data: Jobs[Name], identity: JobIdentity): Promise<Done>
}
