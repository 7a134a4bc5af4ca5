import type { ProductPatch } from '../plan/plan.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

const cells = ['name', 'description', 'active'] as const

/** What the rows of one product say of it as a whole: each cell is filled in once, or always the same. */
export function readProductCells(
  rows: readonly ProductRow[],
  faults: Pick<Faults, 'add'>,
): ProductPatch['set'] {
  const said: Partial<Record<(typeof cells)[number], string | boolean>> = {}
  for (const row of rows)
    for (const cell of cells) {
      const value = row[cell]
      if (value === null) continue
      if (said[cell] === undefined) said[cell] = value
      else if (said[cell] !== value) faults.add({ row: row.row, column: cell, message: contradiction })
    }
  return said as ProductPatch['set']
}

const contradiction = 'An earlier row of this product has another value.'
