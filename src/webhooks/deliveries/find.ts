import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { findBodySource } from '../body/find-source.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryRecord, type DeliveryWhole, recordFields } from './present.ts'

/**
 * Finds one of the caller's deliveries, with all of its attempts and the source of its body. Throws DELIVERY_NOT_FOUND
 * if the id is unknown, or if the delivery belongs to another business. Throws SANDBOX_MISMATCH if the delivery belongs
 * to the sandbox and the caller uses a live key, or vice versa.
 */
export async function findDeliveryWhole(
  deps: Pick<Deps, 'Delivery' | 'Intent' | 'Order'>,
  caller: Caller,
  id: string,
): Promise<DeliveryWhole> {
  const delivery = await find<Delivery>(deps, caller, id, {})
  return { delivery, source: await findBodySource(deps, delivery.referenceNumber) }
}

/** Like `findDeliveryWhole`, but reads only the fields that a list of deliveries contains. */
export const findDeliveryRecord = (deps: Pick<Deps, 'Delivery'>, caller: Caller, id: string): Promise<DeliveryRecord> =>
  find<DeliveryRecord>(deps, caller, id, recordFields)

async function find<Found extends DeliveryRecord>(
  { Delivery }: Pick<Deps, 'Delivery'>,
  { businessId, sandbox }: Caller,
  id: string,
  fields: Partial<typeof recordFields>,
): Promise<Found> {
  const delivery = await Delivery.findOne({ _id: id, businessId }, fields).lean<Found | null>()
  if (delivery === null) throw refuse('DELIVERY_NOT_FOUND')
  if (delivery.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return delivery
}
