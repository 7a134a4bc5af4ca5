import type { SpanQuery } from '../../schemas/span.ts'
import { refuse } from '../errors.ts'
import { readInstant } from './instant.ts'

/** A span of time, both ends inclusive; null is open. */
export interface Span {
  from: Date | null
  to: Date | null
}

/** All of time. */
export const anyTime: Span = { from: null, to: null }

/** A span that ends now at the latest: what comes from now on is not in it, however long it takes to go through it. */
export const upToNow = (deps: { now(): Date }, { from, to }: Span): Span => {
  const now = deps.now()
  return { from, to: to === null || to > now ? now : to }
}

/** Reads a span out of checked query text; a bare `to` date means the end of that UTC day (SPEC 4.3). */
export function readSpan(query: SpanQuery): Span {
  const from = query.from === undefined ? null : readInstant(query.from, 'start')
  const to = query.to === undefined ? null : readInstant(query.to, 'end')
  if (from !== null && to !== null && from > to)
    throw refuse('VALIDATION_ERROR', { param: 'from', message: 'from must not be later than to.' })
  return { from, to }
}

/** The filter of a field by a span: nothing at all when both ends are open. */
export function within(field: string, { from, to }: Span): Record<string, object> {
  if (from === null && to === null) return {}
  return { [field]: { ...(from === null ? {} : { $gte: from }), ...(to === null ? {} : { $lte: to }) } }
}
