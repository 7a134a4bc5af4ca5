import type { QueueWorker } from './run/queue-worker.ts'
import { restoreJobs } from './run/restore-jobs.ts'

export const maintenance: QueueWorker<'maintenance'> = {
  queue: 'maintenance',
  afterFault: 'complete',
  async run(deps) {
    const restored = await restoreJobs(deps)
    return { nextStep: { next: 'complete' }, event: 'jobs.restored', log: { restored }, isNoise: restored === 0 }
  },
}
