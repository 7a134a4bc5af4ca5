import { deadShownSeconds } from '../../jobs.ts'
import { type Span, within } from '../../span.ts'

/** As long as a failed job shows in Bull Board, and what staff see of the dead ones unless they ask for more. */
export const shownDeadMs = deadShownSeconds * 1000

/**
 * A filter for what died in a span and is DEAD still. Only what is DEAD has a `deadAt`; saying `status` too would make MongoDB
 * read every document, and without `$type` it does not use the partial indexes.
 */
export const deadIn = (span: Span): { deadAt: object } => ({
  deadAt: { $type: 'date', ...within('deadAt', span).deadAt },
})
