import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { findColumns, type Headers, type Row, type RowFault, type RowFormat, readRow } from './rows.ts'

export const delimiters = [',', ';', '\t'] as const

/** How to read a provider's file. If `delimiter` is null, the first line decides. */
export interface FileFormat {
  columns: Headers
  isDecimal: boolean
  delimiter: (typeof delimiters)[number] | null
}

/** A fault of the whole file, such as a missing column. */
export class FileFault extends Error {}

/** The maximum length of a row in characters. If a row is longer, a closing quote is most likely missing. */
const maxRowLength = 64 * 1024
/** The maximum number of faulty rows that are listed. All of them are counted. */
const maxFaults = 20

/** The faulty rows of a file: the first ones, and how many there are. */
export interface RowFaults {
  listed: RowFault[]
  count: number
}

/**
 * Reads a provider's file piece by piece, and passes batches of up to `batchSize` rows to `take` in order. After the
 * first faulty row, no more rows are passed, but the rest of the file is still checked. Returns the faulty rows. Throws
 * FileFault if the file as a whole cannot be read.
 */
export async function readFile(
  bytes: AsyncIterable<Uint8Array>,
  format: FileFormat,
  batchSize: number,
  take: (rows: Row[]) => Promise<void>,
): Promise<RowFaults> {
  const rest = decoded(bytes)
  const head = await readHead(rest)
  const whole = async function* () {
    yield head
    yield* rest
  }
  const parser = parse({
    delimiter: format.delimiter ?? detectDelimiter(head),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
    info: true,
  })
  const faults: RowFaults = { listed: [], count: 0 }
  let rowFormat: RowFormat | null = null
  let rows: Row[] = []
  const takeRecord = async (cells: string[], line: number): Promise<void> => {
    if (rowFormat === null) {
      rowFormat = formatOf(cells, format)
      return
    }
    const row = readRow(cells, line, rowFormat)
    if (typeof row === 'string') {
      faults.count += 1
      if (faults.listed.length < maxFaults) faults.listed.push({ line, message: row })
    } else if (faults.count === 0 && rows.push(row) === batchSize) {
      await take(rows)
      rows = []
    }
  }
  await parseAll(Readable.from(whole()), parser, takeRecord)
  if (rowFormat === null) throw new FileFault('The file is empty.')
  if (faults.count === 0 && rows.length > 0) await take(rows)
  return faults
}

async function parseAll(
  text: Readable,
  parser: ReturnType<typeof parse>,
  take: (cells: string[], line: number) => Promise<void>,
): Promise<void> {
  // If `take` throws, the pipeline may report an abort instead of that error.
  let failure: unknown
  const failed = (error: unknown): never => {
    failure = error
    throw error
  }
  try {
    await pipeline(text, parser, async (records: AsyncIterable<{ record: string[]; info: { lines: number } }>) => {
      for await (const { record, info } of records) await take(record, info.lines).catch(failed)
    })
  } catch (error) {
    if (failure !== undefined) throw failure
    if (!(error instanceof CsvError)) throw error
    throw new FileFault(
      `Line ${String(error['lines'])} is not valid CSV (${error.code}). A quote may be missing, or --delimiter may be wrong.`,
    )
  }
}

function formatOf(cells: readonly string[], { columns: headers, isDecimal }: FileFormat): RowFormat {
  const columns = findColumns(cells, headers)
  if (typeof columns === 'string') throw new FileFault(columns)
  return { columns, width: cells.length, isDecimal }
}

/** Decodes UTF-8 without its byte order mark. Throws FileFault if the bytes are not UTF-8. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new FileFault('The file is not UTF-8 text. Save it as CSV in UTF-8.')
    }
  }
  for await (const piece of bytes) yield decode(piece)
  yield decode()
}

/** Reads the beginning of a text, up to the end of its first line with text. `text` then yields what follows. */
async function readHead(text: AsyncGenerator<string, void, undefined>): Promise<string> {
  let head = ''
  while (!/\S[^\r\n]*[\r\n]/.test(head) && head.length < maxRowLength) {
    const { done, value } = await text.next()
    if (done === true) break
    head += value
  }
  return head
}

/** Returns the delimiter that occurs most often outside the quotes of the first line. */
function detectDelimiter(head: string): string {
  const [line = ''] = head
    .trimStart()
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  const countOf = (delimiter: string): number => line.split(delimiter).length
  return delimiters.reduce((best, each) => (countOf(each) > countOf(best) ? each : best))
}
