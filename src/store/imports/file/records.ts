import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { inChunks } from '../../../platform/in-slices.ts'
import type { Faults } from './row.ts'

/**
 * The maximum length of a row. This is three times the length of the longest valid row if every character takes up 4
 * bytes. If a row is longer than this, a closing quote is most likely missing.
 */
const maxRowBytes = 64 * 1024

/**
 * Passes each row of a file to `take`, together with its row number, until `take` returns false. Empty lines are
 * skipped, but they count towards the row numbers. If the file is not valid CSV, adds a fault.
 */
export async function readRecords(
  bytes: Buffer,
  delimiter: string,
  take: (cells: string[], row: number) => boolean,
  faults: Faults,
): Promise<void> {
  const longLine = await findLongLine(bytes)
  if (longLine !== null) return faults.add({ row: longLine, column: null, message: tooLong })
  const parser = parse({
    delimiter,
    // Line endings may be mixed, for example if the file was edited in a different program.
    record_delimiter: ['\r\n', '\n', '\r'],
    // The parser accepts rows with the wrong number of cells, because `readRow` reports them.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
    on_record: (cells: string[], { records, empty_lines }) => {
      if (!take(cells, records + empty_lines)) throw stopped
      return null
    },
  })
  try {
    await pipeline(Readable.from(inChunks(bytes)), parser)
  } catch (error) {
    if (error === stopped) return
    if (!(error instanceof CsvError)) throw error
    const row = Number(error.records) + Number(error.empty_lines) + 1
    faults.add({ row, column: null, message: messages[error.code] ?? 'This row is not valid CSV.' })
  }
}

/**
 * Returns the number of the first line that is longer than the limit, or null if there is no such line. This check is
 * needed because csv-parse applies its own limit only to the text in the cells, so it does not limit the number of
 * cells.
 */
async function findLongLine(bytes: Buffer): Promise<number | null> {
  let at = 0
  while (at + maxRowBytes < bytes.length) {
    const slice = bytes.subarray(at, at + maxRowBytes + 1)
    const end = Math.max(slice.lastIndexOf(lineFeed), slice.lastIndexOf(carriageReturn))
    if (end < 0) return (await countLineBreaks(bytes.subarray(0, at))) + 1
    at += end + 1
  }
  return null
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Returns the number of line breaks. CR LF counts as a single line break. */
async function countLineBreaks(bytes: Buffer): Promise<number> {
  let count = 0
  let last = 0
  for await (const chunk of inChunks(bytes))
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (byte === lineFeed ? last !== carriageReturn : byte === carriageReturn) count += 1
      last = byte
    }
  return count
}

const stopped = new Error('the reader stopped before the end of the file')

const quoting = 'Put a cell that contains a quote in quotes, and write the quote inside it twice.'
const unread = 'The rows below it were not read.'

const tooLong = `This row is too long. A closing quote may be missing. ${unread}`

const messages: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: `The closing quote is missing. ${unread}`,
  CSV_INVALID_CLOSING_QUOTE: `${quoting} ${unread}`,
  INVALID_OPENING_QUOTE: `${quoting} ${unread}`,
  CSV_MAX_RECORD_SIZE: tooLong,
}
