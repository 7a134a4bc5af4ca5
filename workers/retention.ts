import type { PollLoops } from '../src/work/loop.ts'
import type { QueueWorker } from './run/run-job.ts'

export const retentionWorker = (loops: PollLoops): QueueWorker<'retention'> => ({
  afterFault: 'complete',
  async run() {
    await loops.wake('retention')
    return { event: 'retention.woken', isNoise: true, log: {} }
  },
})
