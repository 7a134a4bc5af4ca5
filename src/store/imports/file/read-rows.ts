import type { Deps } from '../../../deps.ts'
import { createReaders } from './cells.ts'
import { createFaults } from './faults.ts'
import { delimiterOf, firstLineOf, type Header, readHeader } from './header.ts'
import { isBlank, readRow } from './read-row.ts'
import { readRecords } from './records.ts'
import { maxRows, type ProductRow } from './row.ts'
import { bytesOf } from './source.ts'

/**
 * The maximum number of blank rows. Some spreadsheet programs write thousands of blank rows below the last row with
 * content. The number is limited because reading a million blank rows would only waste time.
 */
const maxBlankRows = 50_000

/**
 * Reads the rows of a CSV file, which is given as bytes or as a string. Blank rows are skipped, but they count towards
 * the row numbers, as in a spreadsheet. If rows have faults, throws a single error that lists these faults. Does not
 * compare rows with each other.
 */
export async function readRows(deps: Pick<Deps, 'config'>, csv: unknown): Promise<ProductRow[]> {
  const bytes = bytesOf(csv)
  const firstLine = firstLineOf(bytes)
  const readers = createReaders(deps.config.maxAmount)
  const faults = createFaults()
  const rows: (ProductRow | null)[] = []
  let header: Header | null = null
  let blankRows = 0
  let lastRow = 0

  const take = (cells: string[], row: number): boolean => {
    lastRow = row
    if (row === 1) header = readHeader(cells, faults)
    else if (header !== null && cells.every(isBlank)) blankRows += 1
    else if (header !== null) rows.push(readRow(header, readers, cells, row, faults))
    return header !== null && rows.length <= maxRows && blankRows <= maxBlankRows
  }
  if (isBlank(firstLine)) readHeader([], faults)
  else await readRecords(bytes, delimiterOf(firstLine), take, faults)

  if (rows.length > maxRows) faults.add(tooMany(lastRow, `A file can have at most ${maxRows} rows below the header.`))
  if (blankRows > maxBlankRows) faults.add(tooMany(lastRow, `A file can have at most ${maxBlankRows} blank rows.`))
  faults.refuseIfAny()
  return rows.filter((row) => row !== null)
}

/**
 * Returns the fault for a file with too many rows. `row` is the number of the first row beyond the limit. The rows
 * below that row have not been read.
 */
const tooMany = (row: number, message: string) => ({ row, column: null, message })
