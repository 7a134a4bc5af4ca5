import type { SpanQuery } from '../../schemas/requests.ts'
import { refuse } from '../platform/errors.ts'
import { readInstant } from './instant.ts'

/** Both ends are inclusive. A null end is open. */
export interface TimeSpan {
  from: Date | null
  to: Date | null
}

export const anyTime: TimeSpan = { from: null, to: null }

/** Ends the span now at the latest, so that it excludes documents created while it's being processed. */
export const upToNow = (deps: { now(): Date }, { from, to }: TimeSpan): TimeSpan => {
  const now = deps.now()
  return { from, to: to === null || to > now ? now : to }
}

/** If `to` is a date without a time, the span includes that whole UTC day (SPEC 4.3). */
export const readSpan = (query: SpanQuery): TimeSpan => readNamedSpan(query, 'from', 'to')

/** Like `readSpan`, with other parameter names. */
export function readNamedSpan<Name extends string>(
  query: Partial<Record<Name, string>>,
  first: Name,
  last: Name,
): TimeSpan {
  const { [first]: start, [last]: end } = query
  const from = start === undefined ? null : readInstant(start, 'start')
  const to = end === undefined ? null : readInstant(end, 'end')
  if (from !== null && to !== null && from > to)
    throw refuse('VALIDATION_ERROR', { param: first, message: `${first} must not be later than ${last}.` })
  return { from, to }
}

/** Returns a MongoDB filter, which is empty if both ends are open. */
export function spanFilter(field: string, { from, to }: TimeSpan): Record<string, object> {
  if (from === null && to === null) return {}
  return { [field]: { ...(from === null ? {} : { $gte: from }), ...(to === null ? {} : { $lte: to }) } }
}
