import { type ListAuditQuery, listAuditQuery } from '../../schemas/list-audit.ts'
import type { Deps } from '../deps.ts'
import { readSpan, type Span, within } from '../input/span.ts'
import type { AuditEvent } from './audit-event.ts'

/** Which lines of the trail are wanted: each filter is exact, null is any. */
export interface AuditFilter extends Span {
  who: string | null
  act: string | null
  subject: string | null
  businessId: string | null
  /** Only lines older than this one. */
  before: { at: Date; id: string } | null
}

/** How many lines a page has. */
const pageSize = 50

/** Reads the filter out of a query. Throws VALIDATION_ERROR. */
export function parseAuditFilter(deps: Pick<Deps, 'validate'>, query: Record<string, unknown>): AuditFilter {
  const asked = deps.validate<ListAuditQuery>(listAuditQuery, query)
  const [at, id] = asked.before?.split('-') ?? []
  return {
    who: asked.who ?? null,
    act: asked.act ?? null,
    subject: asked.subject ?? null,
    businessId: asked.business ?? null,
    ...readSpan(asked),
    before: at === undefined || id === undefined ? null : { at: new Date(Number(at)), id },
  }
}

/** A page of the trail, newest first. `next` says where the next page begins; null when this is the last. */
export async function listAudit(
  deps: Pick<Deps, 'AuditEvent'>,
  filter: AuditFilter,
): Promise<{ lines: AuditEvent[]; next: string | null }> {
  const found = await deps.AuditEvent.find(conditions(filter))
    .sort({ at: -1, _id: -1 })
    // One more than a page tells whether there is another. Counting a trail that only grows would cost more and more.
    .limit(pageSize + 1)
    .lean<AuditEvent[]>()
  const lines = found.slice(0, pageSize)
  const last = lines.at(-1)
  const hasMore = found.length > pageSize && last !== undefined
  return { lines, next: hasMore ? `${last.at.getTime()}-${last._id}` : null }
}

function conditions({
  who,
  act,
  subject,
  businessId,
  before,
  ...span
}: AuditFilter): Record<string, unknown> {
  const exact = { 'actor.name': who, act, subject, businessId }
  return {
    ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value !== null)),
    ...within('at', span),
    ...(before === null
      ? {}
      : { $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }] }),
  }
}
