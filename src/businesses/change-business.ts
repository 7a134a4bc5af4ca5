import type { Models } from '../collections.ts'
import type { Business } from './business.ts'

/** Changes a business's live approval or developer API. False when there is no such business. */
export async function changeBusiness(
  deps: Pick<Models, 'Business'>,
  id: string,
  change: Partial<Pick<Business, 'liveApproved' | 'apiEnabled'>>,
): Promise<boolean> {
  const changed = await deps.Business.updateOne({ _id: id }, { $set: change })
  return changed.matchedCount === 1
}
