import type { CleaningDeps } from './cleaning.ts'
import type { Watch } from './counts.ts'
import { eachBusiness } from './each-business.ts'
import { takeLease } from './lease.ts'
import { lastDue } from './night.ts'
import { createPace } from './pace.ts'
import { startPass } from './pass.ts'

/** `under-way`: another run is at it. `stopped`: the process is to end; the next one goes on. */
export type Outcome = 'cleaned' | 'under-way' | 'stopped'

/**
 * Cleans up now, unless somebody does already, or goes on where a run before was stopped or killed. It counts as the run of the night that was
 * last due when the pass began. A business that fails keeps no other from its turn; then it throws in the end, the lease runs out, and so the next run
 * comes a minute later, to those that failed.
 */
export async function runCleanUp(deps: CleaningDeps, ending: AbortSignal, watch: Watch): Promise<Outcome> {
  const lease = await takeLease(deps)
  if (lease === null) return 'under-way'
  const lost = new AbortController()
  const over = AbortSignal.any([ending, lost.signal])
  const pass = startPass(lease.record, deps.now())
  const pace = createPace(over, async () => {
    await lease.renew({}).catch((error: unknown) => {
      lost.abort(error)
      throw error
    })
  })
  try {
    await lease.renew({ pass })
    const fault = await eachBusiness(deps, { pass, pace, over, watch })
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

/** Counts what a clean-up would take away now. */
export async function countCleanUp(deps: CleaningDeps, ending: AbortSignal, watch: Watch): Promise<void> {
  const pace = createPace(ending, () => Promise.resolve())
  const fault = await eachBusiness(deps, { pass: null, pace, over: ending, watch })
  if (fault !== null) throw fault
}
