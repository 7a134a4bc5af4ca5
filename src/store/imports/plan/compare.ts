import type { Deps } from '../../../deps.ts'
import { groupBy } from '../../../polyfills/group-by.ts'
import { inSlices, readInSlices } from '../../../process/in-slices.ts'
import { checkSkus } from '../file/check-skus.ts'
import { createFaults } from '../file/faults.ts'
import type { ProductRow } from '../file/row.ts'
import { type ChangedProduct, compareProduct, type NewProduct, type Outcome } from './compare-product.ts'
import type { ImportCounts } from './plan.ts'
import { type ImportScope, readExisting, readOwners } from './read-existing.ts'
import { refuseLate } from './refuse-late.ts'

/** What a file asks for, beside what is there. */
export interface Comparison {
  created: NewProduct[]
  changed: ChangedProduct[]
  counts: ImportCounts
  handles: { created: string[]; updated: string[]; unchanged: string[] }
}

/**
 * Compares rows with the shop's products that have their handles or their SKUs. Rows of one handle are one product, wherever they stand.
 * VALIDATION_ERROR with all faults, each by its row; SERVICE_UNAVAILABLE when there is no time for it any more.
 */
export async function compare(
  deps: Pick<Deps, 'Product'>,
  scope: ImportScope,
  rows: readonly ProductRow[],
): Promise<Comparison> {
  refuseLate(scope.deadlineAt)
  const faults = createFaults()
  const byHandle = groupBy(rows, ({ handle }) => handle)
  const ofStanding = new Map<string, Outcome>()
  const givesDescriptions = rows.some(({ description }) => description !== null)
  const standing = readExisting(deps, scope, [...byHandle.keys()], givesDescriptions)
  await readInSlices(standing, (product) => {
    refuseLate(scope.deadlineAt)
    const { handle } = product
    ofStanding.set(handle, compareProduct(handle, byHandle.get(handle) ?? [], product, faults))
  })
  const outcomes: Outcome[] = []
  await inSlices(byHandle, ([handle, some]) => {
    outcomes.push(ofStanding.get(handle) ?? compareProduct(handle, some, null, faults))
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
  const handlesOf = (some: readonly Outcome[]): string[] => some.map(({ handle }) => handle)
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
