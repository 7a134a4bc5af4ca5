import { sweep } from '../src/sweep.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Re-creates every nudge that MongoDB says is due. */
export const maintenance: QueueWorker<'maintenance'> = {
  queue: 'maintenance',
  async run(deps, { slot }) {
    const swept = await sweep(deps)
    return { nextStep: { next: 'complete' }, event: 'maintenance.swept', log: { slot, ...swept } }
  },
}
