import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { Comparison } from './compare.ts'
import type { FoundPlan, ImportPlan } from './plan.ts'

/**
 * Commits an import in ONE write. Before this write, the import can still be rolled back. After this write, any process
 * may finish the import. Returns the committed plan, or null if the import was rolled back.
 *
 * The plan fits into a document of 16 MB. The plan's strings come from the file, which is at most 8 MiB long, and each
 * string occurs only once. Ids, field names and labels that do not come from the file take up less than 1 kB for each
 * of the 5 000 rows.
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
