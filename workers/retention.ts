import type { Loops } from '../src/work/loop.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Starts the nightly work: removing old data, sealing and verifying the audit trail. */
export const retention = (loops: Loops): QueueWorker<'retention'> => ({
  queue: 'retention',
  // The loops find what is left.
  afterFault: 'complete',
  async run() {
    await loops.wake('retention')
    return { nextStep: { next: 'complete' }, event: 'retention.woken', isNoise: true, log: {} }
  },
})
