import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import { endPlan } from './end-plan.ts'
import { type FoundPlan, withoutPatches } from './plan.ts'
import { undoOrphanedPreparations } from './undo-preparation.ts'

type SweepDeps = Pick<Deps, 'Product' | 'ImportPlan' | 'now'>

/**
 * Ends abandoned imports. Also undoes preparations that a late write made after the import had been rolled back.
 * Returns the number of abandoned plans. If a plan cannot be ended, the sweep still ends the other plans, and then
 * throws the first error.
 */
export async function sweepImports(deps: SweepDeps): Promise<number> {
  const due = { open: true, leaseEndsAt: { $lte: deps.now() } } as const
  const abandoned = await nativeCollection(deps.ImportPlan)
    .find<FoundPlan>(due, { projection: withoutPatches })
    .toArray()
  const faults: unknown[] = []
  // The plans are ended one at a time, because each plan may take up megabytes of memory.
  for (const plan of abandoned) await endPlan(deps, plan).catch((error: unknown) => void faults.push(error))
  await undoOrphanedPreparations(deps, await tokensInUse(deps))
  if (faults.length > 0) throw faults[0]
  return abandoned.length
}

async function tokensInUse(deps: Pick<Deps, 'Product'>): Promise<string[]> {
  const found = nativeCollection(deps.Product).aggregate<{ _id: string }>([
    { $match: { 'prepared.by': { $exists: true } } },
    { $group: { _id: '$prepared.by' } },
  ])
  return (await found.toArray()).map(({ _id }) => _id)
}
