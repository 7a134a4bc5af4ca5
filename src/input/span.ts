import type { SpanQuery } from '../../schemas/requests.ts'
import { refuse } from '../platform/errors.ts'
import { readInstant } from './instant.ts'

/** Both ends are inclusive. A null end is open. */
export interface TimeSpan {
  from: Date | null
  to: Date | null
}

export const anyTimeSpan: TimeSpan = { from: null, to: null }

export const endSpanNow = (deps: { now(): Date }, { from, to }: TimeSpan): TimeSpan => {
  const now = deps.now()
  return { from, to: to === null || to > now ? now : to }
}

/** If `to` is a date, that whole UTC day is included (SPEC 4.3). */
export const readSpan = (query: SpanQuery): TimeSpan => readNamedSpan(query, 'from', 'to')

export function readNamedSpan<Name extends string>(
  query: Partial<Record<Name, string>>,
  first: Name,
  last: Name,
): TimeSpan {
  const { [first]: start = '', [last]: end = '' } = query
  const [from, to] = [readInstant(start, 'start'), readInstant(end, 'end')]
  if (from !== null && to !== null && from > to)
    throw refuse('VALIDATION_ERROR', { param: first, message: `${first} must not be later than ${last}.` })
  return { from, to }
}

export function spanFilter(field: string, { from, to }: TimeSpan): Record<string, object> {
  if (from === null && to === null) return {}
  return { [field]: { ...(from && { $gte: from }), ...(to && { $lte: to }) } }
}
