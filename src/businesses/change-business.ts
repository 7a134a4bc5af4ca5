import type { Act } from '../audit/acts.ts'
import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { Business, BusinessLimits } from './business.ts'

/** The fields of a business to change, with their new values. Fields and limits that are omitted keep their values. */
export interface BusinessChange extends Partial<Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended'>> {
  limits?: Partial<BusinessLimits>
}

/**
 * Changes a business. Writes nothing if the fields already have these values. Returns the business after the change, or
 * null if the business does not exist.
 */
export const changeBusiness = (
  deps: Pick<Models, 'Business'> & AuditedDeps,
  id: string,
  change: BusinessChange,
  { act, ...by }: By & { act: Act },
): Promise<Business | null> =>
  audited(deps, { documents: [id], by }, async ({ session, add }) => {
    const businesses = nativeCollection(deps.Business)
    const found = await businesses.findOne({ _id: id }, { session })
    if (found === null) return null
    const after = byPath(change)
    const standing = byPath(found)
    const before = Object.fromEntries(Object.keys(after).map((path) => [path, standing[path] ?? null]))
    if (Object.keys(after).every((path) => after[path] === before[path])) return found
    await add({ act, subject: id, businessId: id, before, after })
    return businesses.findOneAndUpdate({ _id: id }, { $set: after }, { session, returnDocument: 'after' })
  })

/** Returns the new values, keyed by MongoDB path, for example `limits.perSecond`. */
function byPath({ liveApproved, apiEnabled, suspended, limits }: BusinessChange): Record<string, unknown> {
  const fields = { liveApproved, apiEnabled, suspended, ...prefixed(limits ?? {}) }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const prefixed = (limits: Partial<BusinessLimits>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [`limits.${name}`, value]))
