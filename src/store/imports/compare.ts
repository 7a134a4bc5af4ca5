import { groupBy } from '../../group-by.ts'
import { checkSkus } from './check-skus.ts'
import {
  compareProduct,
  type NewProduct,
  type Outcome,
  type StandingProduct,
  type WantedSkus,
} from './compare-product.ts'
import { createFaults } from './faults.ts'
import type { ImportCounts, ProductPatch } from './plan.ts'
import type { ProductRow } from './row.ts'

/** What a file asks for, beside what is there. */
export interface Comparison {
  created: NewProduct[]
  patches: ProductPatch[]
  /** Of the products that are given any. */
  wanted: WantedSkus[]
  counts: ImportCounts
  handles: { created: string[]; updated: string[]; unchanged: string[] }
}

/**
 * Compares rows with the shop's products that have their handles or their SKUs. Rows of one handle are one product, wherever they stand.
 * VALIDATION_ERROR with all faults, each by its row.
 */
export function compare(rows: readonly ProductRow[], standing: readonly StandingProduct[]): Comparison {
  const faults = createFaults()
  const byHandle = new Map(standing.map((product) => [product.handle, product]))
  const outcomes = [...groupBy(rows, ({ handle }) => handle)].map(([handle, some]) =>
    compareProduct(handle, some, byHandle.get(handle) ?? null, faults),
  )
  const placed = outcomes.flatMap((outcome) => outcome.placed)
  checkSkus(placed, standing, faults)
  faults.refuseIfAny()
  return summary(rows.length, outcomes)
}

function summary(rows: number, outcomes: readonly Outcome[]): Comparison {
  const created = outcomes.filter((outcome) => outcome.created !== null)
  const updated = outcomes.filter((outcome) => outcome.patch !== null)
  const unchanged = outcomes.filter((outcome) => outcome.created === null && outcome.patch === null)
  const handlesOf = (some: readonly Outcome[]): string[] => some.map(({ handle }) => handle)
  return {
    created: created.flatMap((outcome) => outcome.created ?? []),
    patches: updated.flatMap((outcome) => outcome.patch ?? []),
    wanted: updated.flatMap(({ wanted }) => wanted ?? []),
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
