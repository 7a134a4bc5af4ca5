import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import { type Business, defaultLimits } from './business.ts'

/** A new business; `liveApproved` opens live mode to its keys at once. */
export async function createBusiness(
  deps: Pick<Models, 'Business'> & { now(): Date },
  asked: Pick<Business, 'name' | 'liveApproved'>,
): Promise<Business> {
  const business: Business = {
    _id: newId(),
    ...asked,
    apiEnabled: true,
    suspended: false,
    limits: defaultLimits,
    createdAt: deps.now(),
    unaudited: [],
  }
  await deps.Business.create(business)
  return business
}
