import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { ImportPlan } from './plan.ts'
import { undoPreparation } from './undo-preparation.ts'

/**
 * Prevents a plan from being committed, undoes its preparations, and removes it. Before the plan's lease ends, only the
 * request that holds the plan's claim may call this function. Does nothing if the plan is already committed.
 */
export async function rollBack(
  deps: Pick<Deps, 'Product' | 'ImportPlan'>,
  { _id, token }: Pick<ImportPlan, '_id' | 'token'>,
): Promise<void> {
  const plans = nativeCollection(deps.ImportPlan)
  // After this write, the plan can no longer be committed.
  const fenced = await plans.updateOne(
    { _id, token, state: { $in: ['preparing', 'aborting'] } },
    { $set: { state: 'aborting' } },
  )
  if (fenced.matchedCount === 0) return
  await undoPreparation(deps, token)
  await plans.deleteOne({ _id, token, state: 'aborting' })
}
