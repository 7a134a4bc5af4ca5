import type { ProductPatch } from '../plan/plan.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

const cells = ['name', 'description', 'active'] as const

/**
 * Collects the fields of the product itself, such as its name, from all rows that describe the product. Adds a fault if
 * two rows contain different values for the same field.
 */
export function readProductCells(rows: readonly ProductRow[], faults: Pick<Faults, 'add'>): ProductPatch['set'] {
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
