import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import type { Delivery } from './delivery.ts'

/**
 * The caller's own delivery, with all its attempts. DELIVERY_NOT_FOUND for an unknown id or another business's,
 * SANDBOX_MISMATCH for one of the caller's other environment.
 */
export async function findDelivery(
  deps: Pick<Deps, 'Delivery'>,
  caller: Caller,
  id: string,
): Promise<Delivery> {
  const { businessId, sandbox } = caller
  const delivery = await deps.Delivery.findOne({ _id: id, businessId }).lean<Delivery | null>()
  if (delivery === null) throw refuse('DELIVERY_NOT_FOUND')
  if (delivery.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return delivery
}
