import { runCleanUp } from '../src/retention/clean-up.ts'
import { isOwed, openRecord } from '../src/retention/record.ts'
import { startTally } from '../src/retention/tally.ts'
import type { QueueWorker } from './run/queue-worker.ts'

const failed = { queue: 'retention', outcome: 'failed' } as const

/** Takes away what is old, once a night. Until `ending` the process goes on. */
export const retention = (ending: AbortSignal): QueueWorker<'retention'> => ({
  queue: 'retention',
  // A poll asks again as long as the night is owed, once the lease of the run that failed is over.
  afterFault: 'complete',
  async run(deps) {
    const nextStep = { next: 'complete' } as const
    const event = 'retention.cleaned'
    if (!isOwed(await openRecord(deps), deps.now()))
      return { nextStep, event, log: { outcome: 'nothing-to-do' }, isNoise: true }
    const { tally, watch } = startTally({
      count: (kind, documents) => deps.metrics.removed.inc({ kind }, documents),
      done: () => undefined,
    })
    const outcome = await runCleanUp(deps, ending, watch).catch((error: unknown) => {
      // All the others were cleaned, and only this run counted it.
      deps.log.warn({ ...failed, ...tally }, 'retention.cleaned')
      throw error
    })
    return { nextStep, event, log: { outcome, ...tally }, isNoise: outcome === 'under-way' }
  },
})
