import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import { finish } from './finish.ts'
import type { FoundPlan, ImportPlan } from './plan.ts'
import { rollBack } from './roll-back.ts'

/** Finishes a plan that is committed, and rolls back any other plan. */
export async function endPlan(
  deps: Pick<Deps, 'Product' | 'ImportPlan' | 'now'>,
  found: Pick<FoundPlan, '_id' | 'token' | 'state'>,
): Promise<void> {
  if (found.state !== 'committed') return rollBack(deps, found)
  const { _id, token } = found
  const plan = await nativeCollection(deps.ImportPlan).findOne<ImportPlan>({ _id, token, state: 'committed' })
  if (plan !== null) await finish(deps, plan)
}
