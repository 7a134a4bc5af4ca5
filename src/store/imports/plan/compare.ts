import type { Deps } from '../../../deps.ts'
import { inSlices, readInSlices } from '../../../process/in-slices.ts'
import { checkSkus } from '../file/check-skus.ts'
import { createFaults } from '../file/faults.ts'
import type { ProductRow } from '../file/row.ts'
import { type ChangedProduct, compareProduct, type NewProduct, type Outcome } from './compare-product.ts'
import type { ImportCounts } from './plan.ts'
import { type ImportScope, readExisting, readOwners } from './read-existing.ts'
import { refuseLate } from './refuse-late.ts'

/** The differences between a file and the shop's products. */
export interface Comparison {
  created: NewProduct[]
  changed: ChangedProduct[]
  counts: ImportCounts
  handles: { created: string[]; updated: string[]; unchanged: string[] }
}

/**
 * Compares the rows with the shop's products that have the same handles or SKUs. Rows with the same handle describe the
 * same product, even if they are far apart in the file. Throws VALIDATION_ERROR with the file's faults, and
 * SERVICE_UNAVAILABLE after the deadline.
 */
export async function compare(
  deps: Pick<Deps, 'Product'>,
  scope: ImportScope,
  rows: readonly ProductRow[],
): Promise<Comparison> {
  refuseLate(scope.deadlineAt)
  const faults = createFaults()
  const byHandle = Map.groupBy(rows, ({ handle }) => handle)
  const ofExisting = new Map<string, Outcome>()
  const givesDescriptions = rows.some(({ description }) => description !== null)
  const existing = readExisting(deps, scope, [...byHandle.keys()], givesDescriptions)
  await readInSlices(existing, (product) => {
    refuseLate(scope.deadlineAt)
    const { handle } = product
    ofExisting.set(handle, compareProduct(handle, byHandle.get(handle) ?? [], product, faults))
  })
  const outcomes: Outcome[] = []
  await inSlices(byHandle, ([handle, rowsOfHandle]) => {
    outcomes.push(ofExisting.get(handle) ?? compareProduct(handle, rowsOfHandle, null, faults))
  })
  const matched = outcomes.flatMap((outcome) => outcome.matched)
  const given = matched.flatMap(({ row, givesSku }) => (givesSku ? (row.sku ?? []) : []))
  await checkSkus(matched, await readOwners(deps, scope, new Set(given)), faults)
  faults.refuseIfAny()
  return summary(rows.length, outcomes)
}

function summary(rows: number, outcomes: readonly Outcome[]): Comparison {
  const created = outcomes.filter((outcome) => outcome.created !== null)
  const updated = outcomes.filter((outcome) => outcome.changed !== null)
  const unchanged = outcomes.filter((outcome) => outcome.created === null && outcome.changed === null)
  const handlesOf = (group: readonly Outcome[]): string[] => group.map(({ handle }) => handle)
  return {
    created: created.flatMap((outcome) => outcome.created ?? []),
    changed: updated.flatMap((outcome) => outcome.changed ?? []),
    counts: {
      created: created.length,
      updated: updated.length,
      unchanged: unchanged.length,
      variants: outcomes.reduce((sum, { variants }) => sum + variants, 0),
      rows,
    },
    handles: {
      created: handlesOf(created),
      updated: handlesOf(updated),
      unchanged: handlesOf(unchanged),
    },
  }
}
