import type { Models } from '../deps.ts'
import { newId } from '../ids.ts'
import type { Business } from './business.ts'

/** A new business; `liveApproved` opens live mode to its keys at once. */
export async function createBusiness(
  deps: Pick<Models, 'Business'> & { now(): Date },
  asked: Pick<Business, 'name' | 'liveApproved'>,
): Promise<Business> {
  const business: Business = { _id: newId(), ...asked, apiEnabled: true, createdAt: deps.now() }
  await deps.Business.create(business)
  return business
}

/** Changes a business's live approval or developer API. False when there is no such business. */
export async function changeBusiness(
  deps: Pick<Models, 'Business'>,
  id: string,
  change: Partial<Pick<Business, 'liveApproved' | 'apiEnabled'>>,
): Promise<boolean> {
  const changed = await deps.Business.updateOne({ _id: id }, { $set: change })
  return changed.matchedCount === 1
}
