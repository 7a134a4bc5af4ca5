import type { ExportFormat } from '../../schemas/ledger.ts'
import { listAuditQuery } from '../../schemas/requests.ts'
import { normaliseName } from '../input/name.ts'
import { readSpan, spanFilter, type TimeSpan } from '../input/span.ts'
import { type CsvCell, toCsvHeader, toCsvRows } from '../platform/csv.ts'
import type { Deps } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import { type AuditEvent, toReadableAuditLine } from './audit-event.ts'
import { addAuditLine } from './audited.ts'

/** Null selects everything. Other values must match exactly. */
export interface AuditFilter extends TimeSpan {
  who: string | null
  act: string | null
  subject: string | null
  businessId: string | null
  /** Needs `businessId`. */
  acts?: readonly string[]
  before: { at: Date; id: string } | null
}

const pageSize = 50
type ReadDeps = Pick<Deps, 'AuditEvent'>

export function parseAuditFilter(deps: Pick<Deps, 'validate'>, query: Record<string, unknown>): AuditFilter {
  const params = deps.validate(listAuditQuery, query)
  const [, at, id] = /^(-?\d+)-([^]+)$/.exec(params.before ?? '') ?? []
  const pasted = (text?: string) => (text === undefined ? null : (normaliseName('name', text) ?? text))
  return {
    who: pasted(params.who),
    act: pasted(params.act),
    subject: pasted(params.subject),
    businessId: pasted(params.business),
    ...readSpan(params),
    before: at === undefined || id === undefined ? null : { at: new Date(Number(at)), id },
  }
}

/** `next` is the value of `before` for the next page. */
export async function listAuditLines(
  deps: ReadDeps,
  { who, act, acts, subject, businessId, before, ...span }: AuditFilter,
  size = pageSize,
): Promise<{ lines: AuditEvent[]; next: string | null }> {
  const where = {
    ...withoutNull({ 'actor.name': who, act, subject, businessId }),
    ...(acts && { act: { $in: acts } }),
    // A forged time of another type would sort above all others.
    at: { $type: 'date', ...spanFilter('at', span).at },
    ...(before && { $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }] }),
  }
  // The extra line shows whether more follow, without a slow count.
  const found = await readNewest(deps, where, size + 1, acts && 'byBusiness')
  const lines = found.slice(0, size)
  const last = lines.at(-1)
  const hasMore = found.length > size && last !== undefined
  return { lines, next: hasMore ? `${last.at.getTime()}-${last._id.slice(0, 100)}` : null }
}

const withoutNull = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const maxOnPage = 100

export const findLatestLines = (deps: ReadDeps, subjects: readonly string[]): Promise<AuditEvent[]> =>
  readNewest(deps, { subject: { $in: subjects }, at: { $type: 'date' } }, maxOnPage)

async function readNewest(
  deps: ReadDeps,
  where: object,
  limit: number,
  hint?: string,
): Promise<AuditEvent[]> {
  const options = { limit, ...(hint && { hint }) }
  const found = await deps.AuditEvent.find(where, null, options)
    .sort({ at: -1, _id: -1 })
    .lean<AuditEvent[]>()
  return found.map(toReadableAuditLine)
}

const linesPerPiece = 250

const columns: Record<string, (line: AuditEvent) => CsvCell> = {
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

/** Must run before the export reads any lines. */
export async function recordAuditExport(
  deps: Pick<Deps, 'AuditEvent' | 'now'>,
  { before: _before, ...filter }: AuditFilter,
  format: ExportFormat,
  by: Author,
): Promise<void> {
  const after = { format, ...withoutNull(filter) }
  await addAuditLine(deps, by, {
    act: 'audit.exported',
    subject: 'audit',
    businessId: filter.businessId,
    after,
  })
}

/** Reads at the caller's pace, so the whole file is never in memory. */
export async function* exportAuditTrail(
  read: (query: (deps: ReadDeps) => ReturnType<typeof listAuditLines>) => ReturnType<typeof listAuditLines>,
  filter: AuditFilter,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  let head = format === 'csv' ? toCsvHeader(Object.keys(columns), { delimiter: ',', hasBom: false }) : ''
  const cellsOf = (line: AuditEvent) => Object.values(columns).map((cell) => cell(line))
  for (let rest = filter; ; ) {
    const { lines, next } = await read((deps) => listAuditLines(deps, rest, linesPerPiece))
    const piece = head + (format === 'csv' ? toCsvRows(lines.map(cellsOf), ',') : jsonLinesOf(lines))
    if (piece !== '') yield piece
    const last = lines.at(-1)
    if (last === undefined || next === null) return
    head = ''
    rest = { ...filter, before: { at: last.at, id: last._id } }
  }
}

const jsonLinesOf = (lines: AuditEvent[]): string =>
  lines.map(({ _id: id, seal = null, ...line }) => `${JSON.stringify({ id, ...line, seal })}\n`).join('')
