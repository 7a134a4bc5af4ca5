import type { Work } from '../work/loop.ts'
import { type CleaningDeps, startCounts, type Watch } from './cleaning.ts'
import { eachBusiness } from './each-business.ts'
import { createPace } from './pace.ts'
import { isLeased, isOwed, lastDue, openRecord, startPass, takeLease } from './record.ts'

/**
 * The result of a run. `stopped` means that the process is shutting down. The next run continues where this run
 * stopped.
 */
export type Outcome = 'cleaned' | 'already-running' | 'stopped'

/**
 * Cleans up now, unless another run is already in progress. If the previous pass was stopped or killed, continues that
 * pass. When a pass is completed, the most recent nightly clean-up that was due before the pass began counts as done.
 * If cleaning one business fails, the run continues with the other businesses, and throws an error at the end. In that
 * case, the lease expires after a minute, and the next run retries only the businesses that failed. `begin` is called
 * before anything is removed, but not if another run is already in progress.
 */
export async function runCleanUp(
  deps: CleaningDeps,
  ending: AbortSignal,
  watch: Watch,
  begin: () => Promise<unknown> = async () => undefined,
): Promise<Outcome> {
  const lease = await takeLease(deps)
  if (lease === null) return 'already-running'
  const lost = new AbortController()
  const stop = AbortSignal.any([ending, lost.signal])
  const pass = startPass(lease.record, deps.now())
  const pace = createPace(stop, async () => {
    await lease.renew({}).catch((error: unknown) => {
      lost.abort(error)
      throw error
    })
  })
  try {
    await lease.renew({ pass })
    await begin()
    const fault = await eachBusiness(deps, { pass, pace, stop, watch })
    if (fault !== null) {
      await lease.renew({ pass: { ...pass, hasFaults: true } })
      throw fault
    }
    await lease.end({ completedFor: lastDue(pass.beganAt), pass: null })
    return 'cleaned'
  } catch (error) {
    if (!ending.aborted) throw error
    await lease.end({}).catch(() => undefined)
    return 'stopped'
  }
}

const failed = { work: 'clean-up', outcome: 'failed' } as const

/** Removes old data once a night. If a run fails, another one follows when its lease has ended. */
export const cleanUpWork: Work = {
  name: 'clean-up',
  queue: 'retention',
  everyMs: 6_000,
  isLong: true,
  async run(deps, ending) {
    const [record, now] = [await openRecord(deps), deps.now()]
    if (!isOwed(record, now) || isLeased(record, now)) return 0
    const { counts, watch } = startCounts({
      count: (kind, documents) => deps.metrics.removed.inc({ kind }, documents),
      done: () => undefined,
    })
    const outcome = await runCleanUp(deps, ending, watch).catch((error: unknown) => {
      // It may have removed items before it failed, and only this run knows how many.
      deps.log.warn({ ...failed, ...counts }, 'retention.cleaned')
      throw error
    })
    if (outcome !== 'already-running') deps.log.info({ work: 'clean-up', outcome, ...counts }, 'retention.cleaned')
    return 0
  },
}

/** Counts the data that a clean-up would remove now, without removing any of it. */
export async function countCleanUp(deps: CleaningDeps, ending: AbortSignal, watch: Watch): Promise<void> {
  const pace = createPace(ending, () => Promise.resolve())
  const fault = await eachBusiness(deps, { pass: null, pace, stop: ending, watch })
  if (fault !== null) throw fault
}
