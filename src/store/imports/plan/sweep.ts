import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import { endPlan } from './end-plan.ts'
import { type FoundPlan, withoutPatches } from './plan.ts'
import { undoOrphanedPreparations } from './undo-preparation.ts'

type SweepDeps = Pick<Deps, 'Product' | 'ImportPlan' | 'now'>

/**
 * Ends every import that was left behind, and takes back what a dead one's writes prepared after it had been rolled back. Answers how many
 * plans it found to end. One that cannot be ended keeps no other from its turn; the first fault is thrown in the end.
 */
export async function sweepImports(deps: SweepDeps): Promise<number> {
  const due = { open: true, leaseEndsAt: { $lte: deps.now() } } as const
  const left = await nativeCollection(deps.ImportPlan)
    .find<FoundPlan>(due, { projection: withoutPatches })
    .toArray()
  const faults: unknown[] = []
  // One at a time: a plan may have megabytes.
  for (const plan of left) await endPlan(deps, plan).catch((error: unknown) => void faults.push(error))
  await undoOrphanedPreparations(deps, await tokensInUse(deps))
  if (faults.length > 0) throw faults[0]
  return left.length
}

async function tokensInUse(deps: Pick<Deps, 'Product'>): Promise<string[]> {
  const found = nativeCollection(deps.Product).aggregate<{ _id: string }>([
    { $match: { 'prepared.by': { $exists: true } } },
    { $group: { _id: '$prepared.by' } },
  ])
  return (await found.toArray()).map(({ _id }) => _id)
}
