import { stringify } from 'csv-stringify/sync'
import type { Deps } from '../deps.ts'
import type { AuditEvent, By } from './audit-event.ts'
import { addLine } from './audited.ts'
import { type AuditFilter, listAudit } from './list.ts'

export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The number of lines that one query reads, and that one piece of the file contains. */
const linesPerPiece = 250

const columns: Record<string, (line: AuditEvent) => unknown> = {
  id: ({ _id }) => _id,
  at: ({ at }) => at.toISOString(),
  actor_kind: ({ actor }) => actor.kind,
  actor: ({ actor }) => actor.name,
  from: ({ actor }) => actor.from,
  act: ({ act }) => act,
  subject: ({ subject }) => subject,
  business: ({ businessId }) => businessId,
  reason: ({ reason }) => reason,
  before: ({ before }) => before && JSON.stringify(before),
  after: ({ after }) => after && JSON.stringify(after),
  seal: ({ seal }) => seal ?? null,
}

/** Adds the line about an export to the audit trail, before the export reads any lines. */
export async function recordExport(
  deps: Pick<Deps, 'AuditEvent' | 'now'>,
  { before: _before, ...filter }: AuditFilter,
  format: ExportFormat,
  by: By,
): Promise<void> {
  const set = Object.entries(filter).filter(([, value]) => value !== null)
  const after = { format, ...Object.fromEntries(set) }
  const about = { act: 'audit.exported', subject: 'audit', businessId: filter.businessId } as const
  await addLine(deps, by, { ...about, after })
}

/**
 * Yields the selected lines as text, newest first. The next lines are read only when the caller needs them, so the
 * whole file is never in memory. `read` runs each query.
 */
export async function* exportAudit(
  read: (query: (deps: Pick<Deps, 'AuditEvent'>) => ReturnType<typeof listAudit>) => ReturnType<typeof listAudit>,
  filter: AuditFilter,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield `${Object.keys(columns).join(',')}\r\n`
  for (let rest = filter; ; ) {
    const { lines, next } = await read((deps) => listAudit(deps, rest, linesPerPiece))
    const last = lines.at(-1)
    if (last === undefined) return
    yield format === 'csv' ? csvOf(lines) : jsonLinesOf(lines)
    if (next === null) return
    rest = { ...filter, before: { at: last.at, id: last._id } }
  }
}

/** A spreadsheet could execute a cell that begins with `=` or a similar character, so such a cell gets a `'` first. */
const csvOf = (lines: AuditEvent[]): string =>
  stringify(lines.map(cellsOf), { record_delimiter: '\r\n', quoted_string: true, escape_formulas: true })

const cellsOf = (line: AuditEvent): unknown[] => Object.values(columns).map((cell) => cell(line))

const jsonLinesOf = (lines: AuditEvent[]): string =>
  lines.map(({ _id: id, seal = null, ...line }) => `${JSON.stringify({ id, ...line, seal })}\n`).join('')
