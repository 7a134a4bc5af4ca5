import { type ErrorCode, refuse } from '../../../platform/errors.ts'

/** The columns of a file, in the order in which they are exported. */
export const columns = ['handle', 'name', 'description', 'variant_label', 'sku', 'price', 'stock', 'active'] as const

export type Column = (typeof columns)[number]

/** For each column, the type of its values. Prices are in centimes. */
export interface Values {
  handle: string
  name: string
  description: string
  variant_label: string
  sku: string
  price: number
  stock: number
  active: boolean
}

/** The values of the cells of a row. Null stands for a blank cell. A blank cell does not change the field. */
export type Cells = { [C in Column]: Values[C] | null }

/**
 * One row of an import. `row` is its number, as in a spreadsheet. The header is row 1. Rows with the same handle
 * describe the same product.
 */
export type ProductRow = Cells & { row: number; handle: string }

/** The maximum number of rows in an import, not counting the header. */
export const maxRows = 5_000

export interface CsvFault {
  row: number
  /** The column of the invalid cell. If the fault concerns the whole row, this is null. */
  column: Column | null
  message: string
  /** The error code of the fault, which is VALIDATION_ERROR by default. */
  code?: ErrorCode
}

/** The maximum number of faults listed in a response. */
const maxListed = 100
/**
 * The maximum number of faults to keep in memory. Beyond this number, only the hundred faults with the lowest row
 * numbers are kept. A file can have 40 000 faults, and sorting 1 000 of them takes less than 1 ms.
 */
const maxKept = 1_000

/** Collects a file's faults, so that a single response can list them. */
export type Faults = ReturnType<typeof createFaults>

export function createFaults() {
  let kept: Required<CsvFault>[] = []
  let count = 0
  const firstByRow = () => kept.toSorted((a, b) => a.row - b.row).slice(0, maxListed)
  return {
    add(fault: CsvFault): void {
      kept.push({ code: 'VALIDATION_ERROR', ...fault })
      count += 1
      if (kept.length > maxKept) kept = firstByRow()
    },
    /**
     * Throws if there are faults, with the error code of the fault that has the lowest row number. The error's details
     * contain the first hundred faults in row order, and the number of further faults.
     */
    refuseIfAny(): void {
      const listed = firstByRow()
      const [first] = listed
      if (first === undefined) return
      throw refuse(first.code, {
        param: first.column ?? 'csv',
        message: `Row ${first.row}${first.column === null ? '' : `, ${first.column}`}: ${first.message}`,
        details: { faults: listed, more: count - listed.length },
      })
    },
  }
}
