import { runCleanUp } from '../src/retention/clean-up.ts'
import { startCounts } from '../src/retention/counts.ts'
import { isOwed, openRecord } from '../src/retention/record.ts'
import type { QueueWorker } from './run/queue-worker.ts'

const failed = { queue: 'retention', outcome: 'failed' } as const

/** Removes old data once a night. `ending` aborts the run when the process shuts down. */
export const retention = (ending: AbortSignal): QueueWorker<'retention'> => ({
  queue: 'retention',
  // Once the failed run's lease has ended, a poll enqueues the job again.
  afterFault: 'complete',
  async run(deps) {
    const nextStep = { next: 'complete' } as const
    const event = 'retention.cleaned'
    if (!isOwed(await openRecord(deps), deps.now()))
      return { nextStep, event, log: { outcome: 'nothing-to-do' }, isNoise: true }
    const { counts, watch } = startCounts({
      count: (kind, documents) => deps.metrics.removed.inc({ kind }, documents),
      done: () => undefined,
    })
    const outcome = await runCleanUp(deps, ending, watch).catch((error: unknown) => {
      // The clean-up may have succeeded for other businesses, and only this run knows how much it has removed.
      deps.log.warn({ ...failed, ...counts }, 'retention.cleaned')
      throw error
    })
    return { nextStep, event, log: { outcome, ...counts }, isNoise: outcome === 'already-running' }
  },
})
