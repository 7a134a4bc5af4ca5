import { setTimeout as pause } from 'node:timers/promises'
import { nullIfDuplicate, rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import type { Deps } from '../platform/deps.ts'
import { packageVersion } from '../platform/version.ts'
import { LeaseLost, longLeaseFields, takeLongLease } from '../work/lease.ts'
import { createPacer } from '../work/pace.ts'
import { type Step, type StepDeps, steps } from './steps.ts'

export const migrations = declareCollection({
  name: 'migrations',
  kept: 'forever, one document for each step',
  fields: {
    ...longLeaseFields,
    /** The last time. Absent until the step has run once. */
    completedAt: field.optional(field.date),
    version: field.optional(field.text),
  },
  indexes: [],
})
export type Migration = Stored<typeof migrations>

type RunDeps = StepDeps & Pick<Deps, 'Migration' | 'now' | 'log'>

const retryMs = 500

/**
 * Each release repeats all steps, because processes of an older version may
 * have written documents in the old form since.
 */
export async function runSteps(deps: RunDeps, all: Record<number, Step> = steps): Promise<void> {
  for (const [number, step] of Object.entries(all)) await runStep(deps, number, step)
}

async function runStep(deps: RunDeps, _id: string, step: Step): Promise<void> {
  const { now, log } = deps
  const records = rawCollection(deps.Migration)
  const before = await records.findOne({ _id })
  for (;;) {
    const holder = { _id, work: 'release' }
    const lease = await takeLongLease(records, holder, now, { upsert: true }).catch(nullIfDuplicate)
    if (lease === null) {
      await pause(retryMs)
      continue
    }
    // Another release has just run it.
    if (lease.record.completedAt?.getTime() !== before?.completedAt?.getTime()) return lease.end({})
    try {
      const changed = await step.run(
        deps,
        createPacer(undefined, () => lease.renew({})),
      )
      await lease.end({ completedAt: now(), version: packageVersion })
      return log.info({ step: Number(_id), name: step.name, changed }, 'step.completed')
    } catch (error) {
      await lease.end({})
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

/** Throws if this version needs a step that no release has run. */
export async function requireSteps({ Migration }: Pick<Deps, 'Migration'>): Promise<void> {
  const completed = await rawCollection(Migration)
    .find({ completedAt: { $type: 'date' } }, { projection: { _id: 1 } })
    .toArray()
  const missing = Object.keys(steps).filter((number) => completed.every(({ _id }) => _id !== number))
  if (missing.length > 0)
    throw new Error(
      `The database lacks step ${missing.join(', ')}. Run this version's release first: node dist/src/release.js`,
    )
}
