import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/jobs.ts'

/**
 * What becomes of a job. `again`: an attempt failed, BullMQ waits until `at`, and then it comes behind all with a lower priority.
 * `later`: there was no attempt, the job goes back until `at`. `move`: it goes on in another queue. `fail`: it stays in
 * *failed*, where support staff see it.
 */
export type NextStep =
  | { next: 'complete' }
  | { next: 'again'; at: Date; priority: number }
  | { next: 'later'; at: Date }
  | { next: 'move'; to: QueueName }
  | { next: 'fail'; reason: string }

/** How a job went. `log` is its one log line; `isNoise`: nothing happened, and very many such lines may come. */
export interface Done {
  nextStep: NextStep
  event: string
  log: Record<string, unknown>
  isNoise?: boolean
}

/** What BullMQ knows of a job. `hasWaited`: it came before, and there was no attempt. */
export interface JobAbout {
  jobId: string
  hasWaited: boolean
}

/** One queue: its name, and how a job of it is done. */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  run(deps: Deps, data: Jobs[Name], about: JobAbout): Promise<Done>
}
