import { type CleaningDeps, cleanUp, spansOf } from './clean-up.ts'
import type { Cleaning } from './cleaning.ts'
import { takeLease } from './lease.ts'
import { lastDue } from './night.ts'
import { createPace } from './pace.ts'
import { openRecord } from './record.ts'

/** Who asked for a clean-up hears what it takes away, and of each business that it is through with. */
export interface Watch extends Pick<Cleaning, 'count'> {
  done(): void
}

/** `under-way`: another run is at it. `stopped`: the process is to end; another one goes on. */
export type Outcome = 'cleaned' | 'under-way' | 'stopped'

/** Cleans up now, unless somebody does already. It counts as the run of the night that was last due. */
export async function runCleanUp(deps: CleaningDeps, ending: AbortSignal, watch: Watch): Promise<Outcome> {
  const completedFor = lastDue(deps.now())
  const lease = await takeLease(deps)
  if (lease === null) return 'under-way'
  const { count, done } = watch
  const pace = createPace(ending, lease.renew)
  const cleaning = { ...deps, ...spansOf(deps, lease.record), isDry: false, pace, count }
  try {
    const reached = await cleanUp(cleaning, done)
    await lease.end({ completedFor, ...reached })
    return 'cleaned'
  } catch (error) {
    await lease.end({}).catch(() => undefined)
    if (ending.aborted) return 'stopped'
    throw error
  }
}

/** Counts what a clean-up would take away now. */
export async function tryCleanUp(deps: CleaningDeps, ending: AbortSignal, watch: Watch): Promise<void> {
  const { count, done } = watch
  const pace = createPace(ending, () => Promise.resolve())
  const record = await openRecord(deps)
  await cleanUp({ ...deps, ...spansOf(deps, record), isDry: true, pace, count }, done)
}
