import type { Deps } from '../deps.ts'
import { type AuditEvent, readable } from './audit-event.ts'

/**
 * The maximum number of lines to return, which is enough for the page of a payment or a delivery. The audit page shows
 * any further lines.
 */
const maxLines = 100

/** Returns the latest audit lines about the given subjects, starting with the newest line. */
export const trailOf = async (deps: Pick<Deps, 'AuditEvent'>, subjects: readonly string[]): Promise<AuditEvent[]> =>
  (
    await deps.AuditEvent.find({ subject: { $in: subjects }, at: { $type: 'date' } })
      .sort({ at: -1, _id: -1 })
      .limit(maxLines)
      .lean<AuditEvent[]>()
  ).map(readable)
