import { type SpanQuery, spanQuery } from '../../../schemas/span.ts'
import type { Deps } from '../../deps.ts'
import { readSpan, type Span } from '../../input/span.ts'
import { filledIn } from './filled-in.ts'

/** Reads the time span of a form. A blank field leaves that end open. Throws VALIDATION_ERROR. */
export function readFormSpan(deps: Pick<Deps, 'validate'>, form: object): Span {
  return readSpan(deps.validate<SpanQuery>(spanQuery, filledIn(form)))
}

/** Converts a span to the fields of a form or a query. An open end has no field. */
export const spanFields = ({ from, to }: Span): Record<string, string> => ({
  ...(from === null ? {} : { from: from.toISOString() }),
  ...(to === null ? {} : { to: to.toISOString() }),
})
