import { spanQuery } from '../../../schemas/queries.ts'
import type { Deps } from '../../deps.ts'
import { readSpan, type Span } from '../../input/span.ts'

type Query = Readonly<Record<string, unknown>>

/** Returns the non-empty fields of a form or a query. */
export const filledIn = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))

/** Returns a path with a query. Blank fields are omitted. */
export function withQuery(path: string, fields: object): string {
  const query = new URLSearchParams(filledIn(fields) as Record<string, string>).toString()
  return query === '' ? path : `${path}?${query}`
}

/** Returns a query parameter as text. A parameter that is missing or repeated is an empty text. */
export const textIn = (query: Query, name: string): string => {
  const value = query[name]
  return typeof value === 'string' ? value : ''
}

/** Returns the entry of a record that a query parameter names, if there is one. */
export const entryNamed = <Value>(record: Readonly<Record<string, Value>>, name: unknown): Value | undefined =>
  typeof name === 'string' && Object.hasOwn(record, name) ? record[name] : undefined

/**
 * Parses the time span in a form. An empty field leaves that end of the span open. Throws VALIDATION_ERROR if a time is
 * invalid.
 */
export const readFormSpan = (deps: Pick<Deps, 'validate'>, { from = '', to = '' }: Query): Span =>
  readSpan(deps.validate(spanQuery, filledIn({ from, to })))

/** Converts a time span to form fields or query parameters. An open end is blank. */
export const spanFields = ({ from, to }: Span): Record<'from' | 'to', string> => ({
  from: from?.toISOString() ?? '',
  to: to?.toISOString() ?? '',
})
