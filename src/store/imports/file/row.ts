import { type ErrorCode, refuse } from '../../../errors.ts'

/**
 * One row of an import, with its cells parsed. Null stands for a blank cell. A blank cell does not change the field.
 */
export interface ProductRow {
  /** The row number, as in a spreadsheet. The header is row 1. */
  row: number
  /** The product's handle. Rows with the same handle describe the same product. */
  handle: string
  name: string | null
  description: string | null
  variantLabel: string | null
  sku: string | null
  /** The price in centimes. */
  price: number | null
  stock: number | null
  active: boolean | null
}

/** The columns of a file, in the order in which they are exported. */
export const columns = ['handle', 'name', 'description', 'variant_label', 'sku', 'price', 'stock', 'active'] as const

export type Column = (typeof columns)[number]

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
