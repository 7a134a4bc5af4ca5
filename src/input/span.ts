import type { SpanQuery } from '../../schemas/queries.ts'
import { refuse } from '../platform/errors.ts'
import { readInstant } from './instant.ts'

/** A period of time. Both ends are inclusive. If an end is null, the period is unlimited at that end. */
export interface Span {
  from: Date | null
  to: Date | null
}

export const anyTime: Span = { from: null, to: null }

/** Limits a span to the past, so that it excludes documents that are created while the span is being processed. */
export const upToNow = (deps: { now(): Date }, { from, to }: Span): Span => {
  const now = deps.now()
  return { from, to: to === null || to > now ? now : to }
}

/**
 * Returns the span from a validated query. If `to` is a date without a time, it includes that whole UTC day (SPEC 4.3).
 */
export const readSpan = (query: SpanQuery): Span => readNamedSpan(query, 'from', 'to')

/** Like `readSpan`, but for a span whose two parameters have other names. */
export function readNamedSpan<Name extends string>(
  query: Partial<Record<Name, string>>,
  first: Name,
  last: Name,
): Span {
  const { [first]: start, [last]: end } = query
  const from = start === undefined ? null : readInstant(start, 'start')
  const to = end === undefined ? null : readInstant(end, 'end')
  if (from !== null && to !== null && from > to)
    throw refuse('VALIDATION_ERROR', { param: first, message: `${first} must not be later than ${last}.` })
  return { from, to }
}

/** Returns the filter that limits a field to a span. The filter is empty if both ends are unlimited. */
export function within(field: string, { from, to }: Span): Record<string, object> {
  if (from === null && to === null) return {}
  return { [field]: { ...(from === null ? {} : { $gte: from }), ...(to === null ? {} : { $lte: to }) } }
}
