import type { Act } from '../audit/acts.ts'
import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Models } from '../mongo/models.ts'
import type { Business, BusinessLimits } from './business.ts'

/** The fields of a business to change, with their new values. Fields and limits that are omitted keep their values. */
export interface BusinessChange extends Partial<Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended'>> {
  limits?: Partial<BusinessLimits>
}

type ChangeDeps = Pick<Models, 'Business' | 'AuditEvent'> & { now(): Date }

/**
 * Changes a business and records the change for the audit trail in the same write. Writes nothing if the fields already
 * have these values. Returns the business after the change, or null if the business does not exist.
 */
export async function changeBusiness(
  deps: ChangeDeps,
  id: string,
  change: BusinessChange,
  by: By & { act: Act },
): Promise<Business | null> {
  const found = await deps.Business.findOne({ _id: id }).lean<Business | null>()
  if (found === null) return null
  const after = byPath(change)
  const standing = byPath(found)
  const before = Object.fromEntries(Object.keys(after).map((path) => [path, standing[path] ?? null]))
  if (Object.keys(after).every((path) => after[path] === before[path])) return found
  const line = auditLine({ at: deps.now(), ...by, subject: id, businessId: id, before, after })
  const changed = await deps.Business.findOneAndUpdate(
    { _id: id, ...before },
    { $set: after, $push: { unaudited: line } },
    { returnDocument: 'after' },
  ).lean<Business | null>()
  // Another write changed the fields after this function read them, so the function starts again.
  if (changed === null) return changeBusiness(deps, id, change, by)
  await publishAudit(deps, deps.Business, [changed])
  return changed
}

/** Returns the new values, keyed by MongoDB path, for example `limits.perSecond`. */
function byPath({ liveApproved, apiEnabled, suspended, limits }: BusinessChange): Record<string, unknown> {
  const fields = { liveApproved, apiEnabled, suspended, ...prefixed(limits ?? {}) }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const prefixed = (limits: Partial<BusinessLimits>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [`limits.${name}`, value]))
