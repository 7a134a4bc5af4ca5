import { listAuditQuery } from '../../schemas/list-audit.ts'
import type { Deps } from '../deps.ts'
import { readName } from '../input/name.ts'
import { readSpan, type Span, within } from '../input/span.ts'
import { type AuditEvent, readable } from './audit-event.ts'

/**
 * Selects lines from the audit trail. `who`, `act`, `subject` and `businessId` each select the lines that have the same
 * value. A field that is null does not restrict the selection.
 */
export interface AuditFilter extends Span {
  who: string | null
  act: string | null
  subject: string | null
  businessId: string | null
  /** Selects only lines that are older than the specified line. */
  before: { at: Date; id: string } | null
}

/** The number of lines per page. */
const pageSize = 50

/** Parses a query. Throws VALIDATION_ERROR if a parameter is invalid. */
export function parseAuditFilter(deps: Pick<Deps, 'validate'>, query: Record<string, unknown>): AuditFilter {
  const params = deps.validate(listAuditQuery, query)
  const [, at, id] = /^(-?\d+)-([^]+)$/.exec(params.before ?? '') ?? []
  const pasted = (text?: string) => (text === undefined ? null : (readName('name', text) ?? text))
  return {
    who: pasted(params.who),
    act: pasted(params.act),
    subject: pasted(params.subject),
    businessId: pasted(params.business),
    ...readSpan(params),
    before: at === undefined || id === undefined ? null : { at: new Date(Number(at)), id },
  }
}

/**
 * Returns a page of the audit trail, starting with the newest line. `next` is the `before` value for the next page, or
 * null on the last page.
 */
export async function listAudit(
  deps: Pick<Deps, 'AuditEvent'>,
  filter: AuditFilter,
  size = pageSize,
): Promise<{ lines: AuditEvent[]; next: string | null }> {
  // One additional line is read to determine whether there is another page. Counting all lines would become slower as
  // the trail grows.
  const found = await readNewest(deps, conditions(filter), size + 1)
  const lines = found.slice(0, size)
  const last = lines.at(-1)
  const hasMore = found.length > size && last !== undefined
  return { lines, next: hasMore ? `${last.at.getTime()}-${last._id.slice(0, 100)}` : null }
}

function conditions({ who, act, subject, businessId, before, ...span }: AuditFilter): Record<string, unknown> {
  const exact = { 'actor.name': who, act, subject, businessId }
  return {
    ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value !== null)),
    // A forged line with another type of time would be above all others.
    at: { $type: 'date', ...within('at', span).at },
    ...(before === null ? {} : { $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }] }),
  }
}

/**
 * The maximum number of lines to return, which is enough for the page of a payment or a delivery. The audit page shows
 * any further lines.
 */
const maxOnPage = 100

/** Returns the latest audit lines about the given subjects, starting with the newest line. */
export const trailOf = (deps: Pick<Deps, 'AuditEvent'>, subjects: readonly string[]): Promise<AuditEvent[]> =>
  readNewest(deps, { subject: { $in: subjects }, at: { $type: 'date' } }, maxOnPage)

async function readNewest(deps: Pick<Deps, 'AuditEvent'>, where: object, limit: number): Promise<AuditEvent[]> {
  const found = await deps.AuditEvent.find(where).sort({ at: -1, _id: -1 }).limit(limit).lean<AuditEvent[]>()
  return found.map(readable)
}
