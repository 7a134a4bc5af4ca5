import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { ImportPlan } from './plan.ts'
import { undoPreparation } from './undo-preparation.ts'

/**
 * Makes sure that a plan which is not committed never will be, takes back what it prepared, and removes it. Whoever may: who holds its claim,
 * or anybody once its lease is over. Does nothing to one that was committed meanwhile.
 */
export async function rollBack(
  deps: Pick<Deps, 'Product' | 'ImportPlan'>,
  { _id, token }: Pick<ImportPlan, '_id' | 'token'>,
): Promise<void> {
  const plans = nativeCollection(deps.ImportPlan)
  // The fence comes first: what is committed from here on is not this.
  const fenced = await plans.updateOne(
    { _id, token, state: { $in: ['preparing', 'aborting'] } },
    { $set: { state: 'aborting' } },
  )
  if (fenced.matchedCount === 0) return
  await undoPreparation(deps, token)
  await plans.deleteOne({ _id, token, state: 'aborting' })
}
