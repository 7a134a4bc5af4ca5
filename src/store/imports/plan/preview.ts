import type { Comparison } from './compare.ts'
import type { ImportCounts } from './plan.ts'

/** What a dry run tells: what the import would count, and the first handles of each kind. */
export type Preview = ImportCounts & { dryRun: true; handles: Comparison['handles'] }

/** As many as faults are told: the answer is kept for a day, and the counts tell how many there are. */
const mostTold = 100

export function previewOf({ counts, handles }: Comparison): Preview {
  const { created, updated, unchanged } = handles
  const told = {
    created: created.slice(0, mostTold),
    updated: updated.slice(0, mostTold),
    unchanged: unchanged.slice(0, mostTold),
  }
  return { ...counts, dryRun: true, handles: told }
}
