import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { inChunks } from '../../../process/in-chunks.ts'
import type { Faults } from './faults.ts'

/** Three times what the longest legal row takes, at 4 bytes a character: more than that is a quote that was never closed. */
const maxRowBytes = 64 * 1024

/** Hands each record of a file to `take`, with its row, until that answers false. Empty lines are counted and not handed over. */
export async function readRecords(
  bytes: Buffer,
  delimiter: string,
  take: (cells: string[], row: number) => boolean,
  faults: Faults,
): Promise<void> {
  const tooLong = await lineTooLong(bytes)
  if (tooLong !== null) return faults.add({ row: tooLong, column: null, message: longer })
  const parser = parse({
    delimiter,
    // All three: an editor may have mixed them.
    record_delimiter: ['\r\n', '\n', '\r'],
    // Told with the row, not thrown.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
    on_record: (cells: string[], { records, empty_lines }) => {
      if (!take(cells, records + empty_lines)) throw enough
      return null
    },
  })
  try {
    await pipeline(Readable.from(inChunks(bytes)), parser)
  } catch (error) {
    if (error === enough) return
    if (!(error instanceof CsvError)) throw error
    const row = Number(error.records) + Number(error.empty_lines) + 1
    faults.add({ row, column: null, message: said[error.code] ?? 'This row is not valid CSV.' })
  }
}

/** The number of the first line that is longer than any row may be: csv-parse counts what is in a row's cells, not how many there are. */
async function lineTooLong(bytes: Buffer): Promise<number | null> {
  let at = 0
  while (at + maxRowBytes < bytes.length) {
    const some = bytes.subarray(at, at + maxRowBytes + 1)
    const end = Math.max(some.lastIndexOf(lineFeed), some.lastIndexOf(carriageReturn))
    if (end < 0) return (await countLineBreaks(bytes.subarray(0, at))) + 1
    at += end + 1
  }
  return null
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** CR LF is one line break. */
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

const enough = new Error('enough of this file was read')

const quoting = 'Put a cell that contains a quote in quotes, and write the quote inside it twice.'
const noFurther = 'The rows below it were not read.'

const longer = `This row is too long. A closing quote may be missing. ${noFurther}`

const said: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: `The closing quote is missing. ${noFurther}`,
  CSV_INVALID_CLOSING_QUOTE: `${quoting} ${noFurther}`,
  INVALID_OPENING_QUOTE: `${quoting} ${noFurther}`,
  CSV_MAX_RECORD_SIZE: longer,
}
