import type { Deps } from '../deps.ts'
import type { AuditEvent } from './audit-event.ts'

/** More than anybody reads beside the thing itself; the audit page shows the rest. */
const mostLines = 100

/** The newest lines of the trail on some things, newest first. */
export const trailOf = (deps: Pick<Deps, 'AuditEvent'>, subjects: readonly string[]): Promise<AuditEvent[]> =>
  deps.AuditEvent.find({ subject: { $in: subjects } })
    .sort({ at: -1, _id: -1 })
    .limit(mostLines)
    .lean<AuditEvent[]>()
