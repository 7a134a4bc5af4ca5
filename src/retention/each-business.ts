import { forgetStored } from '../lists/counts/counts.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { describeError } from '../process/log.ts'
import { businessPages } from '../reconciliation/recorded-in.ts'
import { type Cleaning, type CleaningDeps, cutoffsOf, type Watch } from './cleaning.ts'
import type { Pace } from './pace.ts'
import { openProgress, type RetentionProgress } from './progress.ts'
import type { Pass } from './record.ts'
import {
  removeDeliveries,
  removeEndpoints,
  removeIntents,
  removeOrders,
  removeOtherEvents,
  removeProducts,
} from './remove.ts'
import { removeEntries } from './remove-entries.ts'
import { trimAttempts } from './trim-attempts.ts'

interface CleanUpRun {
  /** The pass to which this run belongs. If null, old data is only counted and not removed. */
  pass: Pass | null
  pace: Pace
  /** This signal is aborted when the run must stop. */
  stop: AbortSignal
  watch: Watch
}

/**
 * Cleans up the data of each business, but skips businesses for which this pass has already finished the clean-up. If
 * the clean-up of some businesses fails, returns a single error that describes the failures. Otherwise, returns null.
 * Throws if the run is stopped.
 */
export async function eachBusiness(deps: CleaningDeps, { pass, pace, stop, watch }: CleanUpRun): Promise<Error | null> {
  const failed: { businessId: string; error: unknown }[] = []
  const cutoffs = cutoffsOf(deps)
  for await (const stored of businesses(deps, pace)) {
    if (pass !== null && stored.pass === pass.id) continue
    const { _id: businessId } = stored
    const progress = openProgress(deps, businessId, stored)
    const cleaning = { ...deps, ...cutoffs, businessId, progress, isDry: pass === null, pace, ...watch }
    try {
      for (const step of steps) await step(cleaning)
      if (pass !== null) await progress.end(pass.id)
      watch.done()
    } catch (error) {
      if (stop.aborted) throw error
      failed.push({ businessId, error })
    }
  }
  return combine(failed)
}

/**
 * The steps that remove a business's old data. They find it by the same indexes as the lists. A clean-up may be stopped
 * or killed at any point, because the next one finds the remaining data. No intent or order is removed before the
 * deliveries that report on it, and no endpoint before its deliveries.
 */
const steps: readonly ((cleaning: Cleaning) => Promise<void>)[] = [
  forgetCounts,
  removeDeliveries,
  removeIntents,
  removeOrders,
  removeOtherEvents,
  removeProducts,
  removeEndpoints,
  removeEntries,
  trimAttempts,
]

async function forgetCounts({ ListCheckpoints, businessId, testsBefore, isDry, pace }: Cleaning): Promise<void> {
  if (!isDry) await pace(() => forgetStored(ListCheckpoints, businessId, testsBefore))
}

function combine([first, ...others]: { businessId: string; error: unknown }[]): Error | null {
  if (first === undefined) return null
  const { stack, ...details } = describeError(first.error)
  const also = others.length === 0 ? '' : ` and ${others.length} others`
  const fault = new Error(`business ${first.businessId}${also} failed: ${JSON.stringify(details)}`)
  fault.stack = `${fault.message}\n${String(stack)}`
  return fault
}

/** Yields the progress of each business: its stored progress, or empty progress if none has been stored yet. */
async function* businesses(deps: CleaningDeps, pace: Pace): AsyncGenerator<RetentionProgress> {
  for await (const ids of businessPages({ ...deps, pace })) {
    const filter = { _id: { $in: ids } }
    const found = await pace(() => nativeCollection(deps.RetentionProgress).find(filter).toArray())
    const progress = new Map(found.map((each) => [each._id, each]))
    for (const _id of ids) yield progress.get(_id) ?? { _id }
  }
}
