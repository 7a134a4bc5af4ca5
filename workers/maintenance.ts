import { sweep, sweepOverdue } from '../src/sweep.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Re-creates every nudge that MongoDB says is due. */
export const maintenance: QueueWorker<'maintenance'> = {
  queue: 'maintenance',
  async run(deps, { slot, reach }) {
    const swept =
      reach === 'overdue' ? { deliveries: await sweepOverdue(deps) } : await sweep(deps, reach === 'all')
    return { nextStep: { next: 'complete' }, event: 'maintenance.swept', log: { slot, reach, ...swept } }
  },
}
