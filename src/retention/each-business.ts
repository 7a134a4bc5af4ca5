import { nativeCollection } from '../mongo/collection.ts'
import { describeError } from '../process/log.ts'
import { cleanBusiness } from './clean-business.ts'
import { type CleaningDeps, spansOf } from './cleaning.ts'
import type { Watch } from './counts.ts'
import type { Pace } from './pace.ts'
import { openProgress, type RetentionProgress } from './progress.ts'
import type { Pass } from './record.ts'

/** How a clean-up goes through the businesses. */
interface Way {
  /** Null: it only counts. */
  pass: Pass | null
  pace: Pace
  /** Aborted once the run must not go on. */
  over: AbortSignal
  watch: Watch
}

/**
 * Cleans all businesses, but for those with which the pass is through. Answers the faults as one error, null when there was none; throws once the
 * run is over.
 */
export async function eachBusiness(deps: CleaningDeps, way: Way): Promise<Error | null> {
  const { pass, pace, over, watch } = way
  const failed: { businessId: string; error: unknown }[] = []
  const spans = spansOf(deps)
  for await (const known of businesses(deps, pace)) {
    if (pass !== null && known.pass === pass.id) continue
    const { _id: businessId } = known
    const progress = openProgress(deps, businessId, known)
    const cleaning = { ...deps, ...spans, businessId, progress, isDry: pass === null, pace, ...watch }
    try {
      await cleanBusiness(cleaning)
      if (pass !== null) await progress.end(pass.id)
      watch.done()
    } catch (error) {
      if (over.aborted) throw error
      failed.push({ businessId, error })
    }
  }
  return faultOf(failed)
}

function faultOf([first, ...others]: { businessId: string; error: unknown }[]): Error | null {
  if (first === undefined) return null
  const { stack, ...what } = describeError(first.error)
  const also = others.length === 0 ? '' : ` and ${others.length} others`
  const fault = new Error(`business ${first.businessId}${also} failed: ${JSON.stringify(what)}`)
  fault.stack = `${fault.message}\n${String(stack)}`
  return fault
}

const businessesAtOnce = 1000

/** All of them, with how far the clean-up has come at each. */
async function* businesses(
  { Business, RetentionProgress: model }: CleaningDeps,
  pace: Pace,
): AsyncGenerator<RetentionProgress> {
  let last = ''
  for (;;) {
    const ids = await pace(() =>
      nativeCollection(Business)
        .find({ _id: { $gt: last } }, { projection: { _id: 1 }, sort: { _id: 1 }, limit: businessesAtOnce })
        .map(({ _id }) => _id)
        .toArray(),
    )
    const found = await pace(() =>
      nativeCollection(model)
        .find({ _id: { $in: ids } })
        .toArray(),
    )
    const progress = new Map(found.map((each) => [each._id, each]))
    for (const _id of ids) yield progress.get(_id) ?? { _id }
    last = ids.at(-1) ?? ''
    if (ids.length < businessesAtOnce) return
  }
}
