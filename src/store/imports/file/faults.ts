import { type ErrorCode, refuse } from '../../../errors.ts'
import type { Column } from './row.ts'

export interface CsvFault {
  row: number
  /** Null if the fault concerns the whole row. */
  column: Column | null
  message: string
  /** VALIDATION_ERROR by default. */
  code?: ErrorCode
}

/** The most faults that a response lists. */
const maxListed = 100
/**
 * Once more faults than this have been collected, only the first hundred by row are kept. A file can have 40 000
 * faults. Sorting 1 000 takes less than 1 ms.
 */
const maxKept = 1_000

/** Collects the faults of a file, so that one response lists them all. */
export interface Faults {
  add(fault: CsvFault): void
  /**
   * Throws if there are faults, with the error code of the first fault by row. The details contain the first hundred
   * faults and the number of further faults.
   */
  refuseIfAny(): void
}

export function createFaults(): Faults {
  let kept: Required<CsvFault>[] = []
  let count = 0
  const firstByRow = () => kept.toSorted((a, b) => a.row - b.row).slice(0, maxListed)
  return {
    add(fault) {
      kept.push({ code: 'VALIDATION_ERROR', ...fault })
      count += 1
      if (kept.length > maxKept) kept = firstByRow()
    },
    refuseIfAny() {
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
