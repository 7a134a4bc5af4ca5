import { type Span, within } from '../../input/span.ts'
import { deadShownSeconds } from '../../queues/jobs.ts'

/** How long staff see a DEAD delivery by default. Bull Board shows failed jobs for the same time. */
export const shownDeadMs = deadShownSeconds * 1000

/**
 * A filter for deliveries that died within a span and are still DEAD. The filter uses `deadAt`, which only DEAD
 * deliveries have, because with a filter on `status` MongoDB would read every document. Without `$type`, MongoDB would
 * not use the partial indexes.
 */
export const deadIn = (span: Span): { deadAt: object } => ({
  deadAt: { $type: 'date', ...within('deadAt', span).deadAt },
})
