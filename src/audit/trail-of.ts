import type { Deps } from '../deps.ts'
import type { AuditEvent } from './audit-event.ts'

/** Enough for a page about the subjects. The audit page shows the rest. */
const maxLines = 100

/** Returns the newest lines of the trail about some subjects, newest first. */
export const trailOf = (deps: Pick<Deps, 'AuditEvent'>, subjects: readonly string[]): Promise<AuditEvent[]> =>
  deps.AuditEvent.find({ subject: { $in: subjects } })
    .sort({ at: -1, _id: -1 })
    .limit(maxLines)
    .lean<AuditEvent[]>()
