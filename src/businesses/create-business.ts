import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import { type Business, defaultLimits } from './business.ts'

/** Creates a business. If `liveApproved` is true, the business's live keys work immediately. */
export async function createBusiness(
  deps: Pick<Models, 'Business'> & { now(): Date },
  input: Pick<Business, 'name' | 'liveApproved'>,
): Promise<Business> {
  const business: Business = {
    _id: newId(),
    ...input,
    apiEnabled: true,
    suspended: false,
    limits: defaultLimits,
    createdAt: deps.now(),
    unaudited: [],
  }
  await deps.Business.create(business)
  return business
}
