import { spanQuery } from '../../../schemas/span.ts'
import type { Deps } from '../../deps.ts'
import { readSpan, type Span } from '../../input/span.ts'
import { filledIn } from './filled-in.ts'

/**
 * Parses the time span in a form. An empty field leaves that end of the span open. Throws VALIDATION_ERROR if a time is
 * invalid.
 */
export function readFormSpan(deps: Pick<Deps, 'validate'>, form: object): Span {
  return readSpan(deps.validate(spanQuery, filledIn(form)))
}

/** Converts a time span to form fields or query parameters. An open end is omitted. */
export const spanFields = ({ from, to }: Span): Record<string, string> => ({
  ...(from === null ? {} : { from: from.toISOString() }),
  ...(to === null ? {} : { to: to.toISOString() }),
})
