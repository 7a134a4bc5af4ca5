import { type Span, within } from '../../input/span.ts'
import { deadShownSeconds } from '../../queues/jobs.ts'

/** How long staff see a DEAD delivery by default. Bull Board keeps failed jobs for the same time. */
export const shownDeadMs = deadShownSeconds * 1000

/**
 * A filter for deliveries that died in a span and are still DEAD. Only DEAD deliveries have a `deadAt`. A filter on
 * `status` would make MongoDB read every document, and without `$type` MongoDB would not use the partial indexes.
 */
export const deadIn = (span: Span): { deadAt: object } => ({
  deadAt: { $type: 'date', ...within('deadAt', span).deadAt },
})
