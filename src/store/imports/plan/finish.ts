import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import { apply } from './apply.ts'
import type { ImportPlan } from './plan.ts'

/**
 * How long a finished plan is kept. This is longer than the lifetime of a claim, because during that lifetime, a retry
 * needs the outcome of the first request.
 */
const keptMs = 48 * 3_600_000

/**
 * Applies a committed plan and frees the shop for its next import. Any process may call this function at any time, even
 * concurrently with other processes.
 */
export async function finish(
  deps: Pick<Deps, 'Product' | 'ImportPlan' | 'now'>,
  { _id, token, patches }: ImportPlan,
): Promise<void> {
  await apply(deps, { token, patches })
  await nativeCollection(deps.ImportPlan).updateOne(
    { _id, token, state: 'committed' },
    {
      $set: { state: 'done', patches: [], expiresAt: new Date(deps.now().getTime() + keptMs) },
      $unset: { open: 1 },
    },
  )
}
