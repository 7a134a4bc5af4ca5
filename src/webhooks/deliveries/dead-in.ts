import { type Span, within } from '../../input/span.ts'
import { deadShownSeconds } from '../../queues/jobs.ts'

/**
 * How long the staff pages show a DEAD delivery by default. Bull Board shows failed jobs for the same length of time.
 */
export const shownDeadMs = deadShownSeconds * 1000

/**
 * A filter for deliveries that died within a span and are still DEAD. The filter uses `deadAt`, which is set only in
 * DEAD deliveries, because with a filter on `status` MongoDB would have to read every document. `$type` is necessary
 * because otherwise MongoDB would not use the partial indexes.
 */
export const deadIn = (span: Span): { deadAt: object } => ({
  deadAt: { $type: 'date', ...within('deadAt', span).deadAt },
})
