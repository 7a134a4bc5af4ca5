import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import { type Business, defaultLimits } from './business.ts'

/** Creates a business. If `liveApproved` is true, the business's live keys work immediately. */
export async function createBusiness(
  deps: Pick<Models, 'Business' | 'AuditEvent'> & { now(): Date },
  input: Pick<Business, 'name' | 'liveApproved'>,
  by: By,
): Promise<Business> {
  const id = newId()
  const now = deps.now()
  const business: Business = {
    _id: id,
    ...input,
    apiEnabled: true,
    suspended: false,
    limits: defaultLimits,
    commission: [],
    createdAt: now,
    unaudited: [auditLine({ at: now, ...by, act: 'business.created', subject: id, businessId: id, after: input })],
  }
  await nativeCollection(deps.Business).insertOne(business)
  await publishAudit(deps, deps.Business, [business])
  return business
}
