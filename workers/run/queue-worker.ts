import type { Deps } from '../../src/deps.ts'
import type { Jobs, QueueName } from '../../src/jobs.ts'

/**
 * What becomes of a job. `again`: an attempt failed, BullMQ waits until `at`. `later`: there was no attempt, the job
 * goes back until `at`. `fail`: it stays in *failed*, where support staff see it.
 */
export type NextStep =
  | { next: 'complete' }
  | { next: 'again' | 'later'; at: Date }
  | { next: 'fail'; reason: string }

/** One queue: its name, and how a job of it is done. `log` is the job's one log line. */
export interface QueueWorker<Name extends QueueName> {
  queue: Name
  run(
    deps: Deps,
    data: Jobs[Name],
  ): Promise<{ nextStep: NextStep; event: string; log: Record<string, unknown> }>
}
