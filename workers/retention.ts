import { checkTrail } from '../src/audit/seals/nightly-check.ts'
import type { Deps } from '../src/deps.ts'
import { runCleanUp } from '../src/retention/clean-up.ts'
import { startCounts } from '../src/retention/counts.ts'
import { isOwed, openRecord } from '../src/retention/record.ts'
import type { Done, QueueWorker } from './run/queue-worker.ts'

const failed = { queue: 'retention', outcome: 'failed' } as const

/**
 * Seals and verifies the audit trail, and meanwhile removes old data, once a night. Each part runs only if it is due.
 * `ending` aborts the run when the process shuts down.
 */
export const retention = (ending: AbortSignal): QueueWorker<'retention'> => ({
  queue: 'retention',
  // If a run fails, a poll enqueues the job again when the lease of that run has ended.
  afterFault: 'complete',
  async run(deps) {
    const checked = checkTrail(deps, ending)
    try {
      return await cleanUp(deps, ending)
    } finally {
      await checked
    }
  },
})

async function cleanUp(deps: Deps, ending: AbortSignal): Promise<Done> {
  const nextStep = { next: 'complete' } as const
  const event = 'retention.cleaned'
  if (!isOwed(await openRecord(deps), deps.now()))
    return { nextStep, event, log: { outcome: 'nothing-to-do' }, isNoise: true }
  const { counts, watch } = startCounts({
    count: (kind, documents) => deps.metrics.removed.inc({ kind }, documents),
    done: () => undefined,
  })
  const outcome = await runCleanUp(deps, ending, watch).catch((error: unknown) => {
    // The clean-up may have removed items before it failed, and only this run knows how many.
    deps.log.warn({ ...failed, ...counts }, 'retention.cleaned')
    throw error
  })
  return { nextStep, event, log: { outcome, ...counts }, isNoise: outcome === 'already-running' }
}
