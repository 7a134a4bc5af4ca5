import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/jobs.ts'

/** What becomes of a job. `later`: it goes back until `at`. `fail`: it stays in *failed*, where support staff see it. */
export type NextStep = { next: 'complete' } | { next: 'later'; at: Date } | { next: 'fail'; reason: string }

/**
 * How a job went. `log` is its one log line; `isNoise`: nothing happened, and very many such lines may come; `isWarning`: somebody waits
 * for what did not go well.
 */
export interface Done {
  nextStep: NextStep
  event: string
  log: Record<string, unknown>
  /** The traces of requests for which it was done, each by its `traceparent`. */
  traces?: string[]
  isNoise?: boolean
  isWarning?: boolean
}

/** What names a job; how often it ran and was tried is MongoDB's to know. */
export interface JobAbout {
  jobId: string
  name: string
}

/**
 * One queue: its name, and how a job of it is done. After a fault it comes again, unless its queue forgets it because a poll does the same.
 */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  afterFault?: 'complete'
  run(deps: Deps, data: Jobs[Name], about: JobAbout): Promise<Done>
}
