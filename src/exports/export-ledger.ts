import { setTimeout as pause } from 'node:timers/promises'
import { readDelimiter } from '../../schemas/delimiter.ts'
import type { ExportKind, ExportLedgerQuery } from '../../schemas/ledger.ts'
import type { Caller } from '../businesses/caller.ts'
import type { ChainOwner } from '../chains/append.ts'
import { readSpan, upToNow } from '../input/span.ts'
import { findPositions, numberedBy, type Positions } from '../ledger/list.ts'
import { longestReadMs } from '../lists/pagination.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { readInSlices } from '../platform/in-slices.ts'
import {
  createLineWriter,
  type ExportedEntry,
  entryTypeOf,
  type FileForm,
  type LineWriter,
} from './export-lines.ts'

/** Makes chunks of about 25 kB. */
const entriesPerChunk = 125
/** A rest takes three times as long as the chunk. Without it, a fast client would slow down other merchants. */
const restsPerChunk = 3
/** Caps the rest: a chunk that takes more than 10 ms was probably interrupted by other work. */
const maxRestMs = 30

/** Leaves out the totals, most of an entry's size. Only the balance is needed. */
const fields = {
  _id: 0,
  'after.opening': 0,
  'after.payments': 0,
  'after.refunds': 0,
  'after.fees': 0,
  'after.payouts': 0,
  'after.byType': 0,
} as const

type FormQuery = Pick<ExportLedgerQuery, 'format' | (typeof csvParams)[number]>
const csvParams = ['delimiter', 'language'] as const

/** Defaults to commas and English names. Throws VALIDATION_ERROR if the query sets them for anything but CSV. */
export function readForm(kind: ExportKind, query: FormQuery): FileForm {
  const { format = 'csv', delimiter, language = 'en' } = query
  const param = csvParams.find((name) => query[name] !== undefined)
  if (format !== 'csv' && param !== undefined)
    throw refuse('VALIDATION_ERROR', { param, message: `${param} applies only to the format csv.` })
  return { kind, format, delimiter: readDelimiter(delimiter), language }
}

/** Oldest first, and only as fast as it's consumed. Leaves out what is booked after the export began. */
export async function* exportLedger(
  deps: Pick<Deps, 'lists' | 'now'>,
  caller: Caller,
  kind: ExportKind,
  query: ExportLedgerQuery,
): AsyncGenerator<string, void, undefined> {
  const span = upToNow(deps, readSpan(query))
  const form = readForm(kind, query)
  const writer = createLineWriter(form)
  const positions = await readExport(deps, caller, (models) =>
    findPositions(models, caller, entryTypeOf[kind], span, Number(query.after ?? 0)),
  )
  let header = query.after === undefined ? writer.header : ''
  for await (const { text } of eachChunk(deps, caller, kind, positions, writer)) {
    yield header + text
    header = ''
  }
  if (header !== '') yield header
}

/** Uses the connections for lists. */
export const readExport = <T>(
  { lists }: Pick<Deps, 'lists'>,
  { businessId }: ChainOwner,
  read: Parameters<typeof lists.run<T>>[1],
): Promise<T> => lists.run(`export ${businessId}`, read)

/** Reads page by page, so that no connection is occupied and no cursor open while a slow client downloads. */
export async function* eachChunk(
  deps: Pick<Deps, 'lists'>,
  owner: ChainOwner,
  kind: ExportKind,
  { first, last }: Positions,
  writer: LineWriter,
): AsyncGenerator<{ text: string; lines: number }, void, undefined> {
  for (let start = first; start <= last; start += entriesPerChunk) {
    const beganAt = performance.now()
    const end = Math.min(last, start + entriesPerChunk - 1)
    const entries = await readEntries(deps, owner, kind, { first: start, last: end })
    // The nightly clean-up can remove test entries during the export.
    if (entries.length === 0) continue
    const text = writer.lines(entries)
    const restMs = Math.min(restsPerChunk * (performance.now() - beganAt), maxRestMs)
    yield { text, lines: entries.length }
    await pause(restMs)
  }
}

/** The range must be short. */
export async function readEntries(
  deps: Pick<Deps, 'lists'>,
  owner: ChainOwner,
  kind: ExportKind,
  { first, last }: Positions,
): Promise<ExportedEntry[]> {
  const { businessId, sandbox } = owner
  const { where, field, index } = numberedBy(entryTypeOf[kind])
  const entries: ExportedEntry[] = []
  await readExport(deps, owner, ({ LedgerEntry }) =>
    readInSlices(
      nativeCollection(LedgerEntry)
        .find(
          { businessId, sandbox, ...where, [field]: { $gte: first, $lte: last } },
          { hint: index, maxTimeMS: longestReadMs },
        )
        .project<ExportedEntry>(fields)
        .sort({ [field]: 1 }),
      (entry) => void entries.push(entry),
    ),
  )
  return entries
}
