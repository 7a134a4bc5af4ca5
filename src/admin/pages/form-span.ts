import { type SpanQuery, spanQuery } from '../../../schemas/span.ts'
import type { Deps } from '../../deps.ts'
import { readSpan, type Span } from '../../input/span.ts'
import { filledIn } from './filled-in.ts'

/** The span of time that a form says; a field left blank is open. Throws VALIDATION_ERROR. */
export function readFormSpan(deps: Pick<Deps, 'validate'>, form: object): Span {
  return readSpan(deps.validate<SpanQuery>(spanQuery, filledIn(form)))
}

/** A span as the fields of a form, or of an address; an open end has none. */
export const spanFields = ({ from, to }: Span): Record<string, string> => ({
  ...(from === null ? {} : { from: from.toISOString() }),
  ...(to === null ? {} : { to: to.toISOString() }),
})
