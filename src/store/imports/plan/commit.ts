import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { Comparison } from './compare.ts'
import type { FoundPlan, ImportPlan } from './plan.ts'

/**
 * The one write by which an import happens: after it whoever comes along finishes it, before it whoever comes along takes it back. Answers the
 * plan, or null when somebody took it back meanwhile.
 *
 * It fits into a document of 16 MB: its texts are in the file, of 8 MiB at most, and each is here once; what stands around them, ids, names of
 * fields and a label that a blank one stood for, is under 1 kB for each of the 5 000 rows.
 */
export async function commit(
  deps: Pick<Deps, 'ImportPlan'>,
  plan: FoundPlan,
  { changed, counts }: Pick<Comparison, 'changed' | 'counts'>,
): Promise<ImportPlan | null> {
  const { _id, token } = plan
  const change = { state: 'committed', patches: changed.map(({ patch }) => patch), counts } as const
  const { matchedCount } = await nativeCollection(deps.ImportPlan).updateOne(
    { _id, token, state: 'preparing' },
    { $set: change },
  )
  return matchedCount === 0 ? null : { ...plan, ...change }
}
