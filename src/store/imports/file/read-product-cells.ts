import type { ProductPatch } from '../plan/plan.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

const cells = ['name', 'description', 'active'] as const

/** Collects the cells of the product itself from its rows. Two different values of one cell are a fault. */
export function readProductCells(
  rows: readonly ProductRow[],
  faults: Pick<Faults, 'add'>,
): ProductPatch['set'] {
  const values: Partial<Record<(typeof cells)[number], string | boolean>> = {}
  for (const row of rows)
    for (const cell of cells) {
      const value = row[cell]
      if (value === null) continue
      if (values[cell] === undefined) values[cell] = value
      else if (values[cell] !== value) faults.add({ row: row.row, column: cell, message: contradiction })
    }
  return values as ProductPatch['set']
}

const contradiction = 'An earlier row of this product has another value.'
