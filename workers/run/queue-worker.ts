import type { JobPayloads, QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'

/** The log line of a run has level debug with `isNoise`, warn with `isWarning`, otherwise info. */
export interface JobResult {
  event: string
  log: Record<string, unknown>
  /** Delays the job until this time. By default, the job completes. */
  againAt?: Date | null
  /** Puts the job among the failed ones, where support staff can see it. */
  failure?: string
  /** The `traceparent` of each request that caused some of the work. */
  traces?: string[]
  isNoise?: boolean
  isWarning?: boolean
}

interface JobIdentity {
  jobId: string
  name: string
}

/** If `run` throws, the job is retried a few seconds later – unless a poll finds its work (`afterFault`). */
export interface QueueWorker<Name extends QueueName> {
  afterFault?: 'complete'
  run(deps: Deps, data: JobPayloads[Name], identity: JobIdentity): Promise<JobResult>
}
