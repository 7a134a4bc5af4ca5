import { deleteCheckpoints } from '../lists/counts.ts'
import { rawCollection } from '../mongo/collection.ts'
import { describeError } from '../platform/log.ts'
import { eachPageOfBusinesses } from '../reconciliation/recorded.ts'
import { isRecordLeased } from '../work/lease.ts'
import type { PolledWork } from '../work/loop.ts'
import { createPacer, type Pacer } from '../work/pace.ts'
import { type CleanUpDeps, type CleanUpWatch, findCutoffs, startCounts } from './cleaning.ts'
import * as record from './record.ts'
import { cleanUpRules, runCleanUpRule } from './rules.ts'

type CleanUpOutcome = 'cleaned' | 'already-running' | 'stopped'

/**
 * Continues the last pass. After failures, the next run retries only the
 * businesses that failed. Removes no data before `begin` resolves.
 */
export async function runCleanUp(
  deps: CleanUpDeps,
  ending: AbortSignal,
  watch: CleanUpWatch,
  begin: () => Promise<unknown> = async () => undefined,
): Promise<CleanUpOutcome> {
  const lease = await record.takeCleanUpLease(deps)
  if (lease === null) return 'already-running'
  const lost = new AbortController()
  const stop = AbortSignal.any([ending, lost.signal])
  const pass = record.startCleanUpPass(lease.record, deps.now())
  const pace = createPacer(stop, () =>
    lease.renew({}).catch((error: unknown) => {
      lost.abort(error)
      throw error
    }),
  )
  try {
    await lease.renew({ pass })
    await begin()
    const fault = await eachBusiness(deps, { pass, pace, stop, watch })
    if (fault !== null) {
      await lease.renew({ pass: { ...pass, hasFaults: true } })
      throw fault
    }
    await lease.end({ completedFor: record.lastNightDue(pass.beganAt), pass: null })
    return 'cleaned'
  } catch (error) {
    if (!ending.aborted) throw error
    await lease.end({}).catch(() => undefined)
    return 'stopped'
  }
}

const failedRun = { work: 'clean-up', outcome: 'failed' } as const

/** After a failed run, the next one starts when the lease has ended. */
export const cleanUpWork: PolledWork = {
  name: 'clean-up',
  queue: 'retention',
  everyMs: 6_000,
  isLong: true,
  async run(deps, ending) {
    const [stored, now] = [await record.openRetention(deps), deps.now()]
    if (!record.isCleanUpOwed(stored, now) || isRecordLeased(stored, now)) return 0
    const { counts, watch } = startCounts({
      count: (kind, documents) => deps.metrics.removed.inc({ kind }, documents),
      done: () => undefined,
    })
    const outcome = await runCleanUp(deps, ending, watch).catch((error: unknown) => {
      deps.log.warn({ ...failedRun, ...counts }, 'retention.cleaned')
      throw error
    })
    if (outcome !== 'already-running')
      deps.log.info({ work: 'clean-up', outcome, ...counts }, 'retention.cleaned')
    return 0
  },
}

export async function dryRunCleanUp(deps: CleanUpDeps, ending: AbortSignal, watch: CleanUpWatch) {
  const pace = createPacer(ending)
  const fault = await eachBusiness(deps, { pass: null, pace, stop: ending, watch })
  if (fault !== null) throw fault
}

interface CleanUpRun {
  pass: record.CleanUpPass | null
  pace: Pacer
  stop: AbortSignal
  watch: CleanUpWatch
}

/** Returns one error for all failures. Throws if the run is stopped. */
async function eachBusiness(deps: CleanUpDeps, { pass, pace, stop, watch }: CleanUpRun) {
  const failed: { businessId: string; error: unknown }[] = []
  const cutoffs = findCutoffs(deps)
  for await (const stored of businesses(deps, pace)) {
    if (pass !== null && stored.pass === pass.id) continue
    const { _id: businessId } = stored
    const progress = record.trackProgress(deps, businessId, stored)
    const cleaning = { ...deps, ...cutoffs, businessId, progress, isDry: pass === null, pace, ...watch }
    try {
      if (pass !== null)
        await pace(() => deleteCheckpoints(deps.ListCheckpoints, businessId, cutoffs.testsBefore))
      for (const rule of cleanUpRules) await runCleanUpRule(cleaning, rule)
      if (pass !== null) await progress.end(pass.id)
      watch.done()
    } catch (error) {
      if (stop.aborted) throw error
      failed.push({ businessId, error })
    }
  }
  return combine(failed)
}

function combine([first, ...others]: { businessId: string; error: unknown }[]): Error | null {
  if (first === undefined) return null
  const { stack, ...details } = describeError(first.error)
  const also = others.length === 0 ? '' : ` and ${others.length} others`
  const fault = new Error(`business ${first.businessId}${also} failed: ${JSON.stringify(details)}`)
  fault.stack = `${fault.message}\n${String(stack)}`
  return fault
}

async function* businesses(deps: CleanUpDeps, pace: Pacer): AsyncGenerator<record.RetentionProgress> {
  for await (const ids of eachPageOfBusinesses({ ...deps, pace })) {
    const filter = { _id: { $in: ids } }
    const found = await pace(() => rawCollection(deps.RetentionProgress).find(filter).toArray())
    const progress = new Map(found.map((each) => [each._id, each]))
    for (const _id of ids) yield progress.get(_id) ?? { _id }
  }
}
