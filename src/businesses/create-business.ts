import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import { type Business, defaultLimits } from './business.ts'

/** Creates a business. If `liveApproved` is true, the business's live keys work immediately. */
export const createBusiness = (
  deps: Pick<Models, 'Business'> & AuditedDeps,
  input: Pick<Business, 'name' | 'liveApproved'>,
  by: By,
): Promise<Business> =>
  audited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const _id = newId()
    const rights = { apiEnabled: true, suspended: false, limits: defaultLimits }
    const business: Business = { _id, ...input, ...rights, commission: [], createdAt }
    await nativeCollection(deps.Business).insertOne(business, { session })
    await add({ act: 'business.created', subject: _id, businessId: _id, after: input })
    return business
  })
