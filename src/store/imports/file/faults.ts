import { type ErrorCode, refuse } from '../../../errors.ts'
import type { Column } from './row.ts'

/** What is wrong in a file, and where; `column` is null where it is the row as a whole. */
export interface CsvFault {
  row: number
  column: Column | null
  message: string
  /** VALIDATION_ERROR where nothing else is said. */
  code?: ErrorCode
}

/** A file that is wrong in a thousand places is told of the first hundred. */
const mostTold = 100
/** Beyond this many faults, only the first hundred are kept. Sorting this many takes less than 1 ms; a file can have 40 000. */
const maxKept = 1_000

/** Collects what is wrong in a file, so that its merchant hears of all at once. */
export interface Faults {
  add(fault: CsvFault): void
  /** The first by row gives the code; the first hundred stand in the details, and how many more there are. Nothing where there are none. */
  refuseIfAny(): void
}

export function createFaults(): Faults {
  let kept: Required<CsvFault>[] = []
  let count = 0
  const firstByRow = () => kept.toSorted((a, b) => a.row - b.row).slice(0, mostTold)
  return {
    add(fault) {
      kept.push({ code: 'VALIDATION_ERROR', ...fault })
      count += 1
      if (kept.length > maxKept) kept = firstByRow()
    },
    refuseIfAny() {
      const told = firstByRow()
      const [first] = told
      if (first === undefined) return
      throw refuse(first.code, {
        param: first.column ?? 'csv',
        message: `Row ${first.row}${first.column === null ? '' : `, ${first.column}`}: ${first.message}`,
        details: { faults: told, more: count - told.length },
      })
    },
  }
}
