import type { QueueWorker } from './run/queue-worker.ts'
import { isPast, restoreJobs } from './run/restore-jobs.ts'

/**
 * Restores jobs that Redis has lost. These are mainly the failed jobs of DEAD deliveries, because support staff look
 * for DEAD deliveries among the failed jobs.
 */
export const maintenance: QueueWorker<'maintenance'> = {
  queue: 'maintenance',
  afterFault: 'complete',
  async run(deps, { slot, reach }) {
    const nextStep = { next: 'complete' } as const
    const event = 'jobs.restored'
    // If no worker has run this queue for a while, jobs for past time slots have accumulated. A single job does the
    // work of all of them.
    if (reach === 'lately' && isPast(slot, deps.now()))
      return { nextStep, event, log: { slot, reach, past: true }, isNoise: true }
    const restored = await restoreJobs(deps, reach)
    return { nextStep, event, log: { slot, reach, restored }, isNoise: restored === 0 }
  },
}
