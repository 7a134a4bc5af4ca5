import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { endpointIdOf } from '../deliveries/delivery-id.ts'
import { isReceiving } from '../endpoints/endpoint.ts'
import { cancelDue, claimAndBegin } from './attempt-due.ts'
import { slotOwner } from './find-endpoint.ts'

/** A delivery for which a wake-up job exists. The counts are those that the delivery had when the job was created. */
export interface Woken extends Pick<Delivery, 'attempts' | 'requeues'> {
  deliveryId: string
}

/**
 * The result of a wake-up job. `begun` means that the attempt has a slot and is running in the background. `no-slot`
 * means that the delivery waits in MongoDB until this process has a free slot, or the poll of another one.
 * `superseded` means that there is nothing to do, or that a newer job will do the work.
 */
export type WakeOutcome =
  | { outcome: 'begun' | 'cancelled' | 'no-slot' | 'superseded' }
  | { outcome: 'not-due'; again: Date }
  | { outcome: 'dead'; last: Pick<Delivery, 'attempts' | 'attemptLog'> }

/**
 * Starts the attempt for which the wake-up job was created, if a slot is free. Does not wait for the attempt to end.
 */
export async function wakeDelivery(deps: Deps, woken: Woken): Promise<WakeOutcome> {
  const { deliveryId } = woken
  const endpointId = endpointIdOf(deliveryId)
  const endpoint = await deps.batchers.findEndpoint(endpointId, noDeadline)
  if (endpoint === null || !isReceiving(endpoint)) {
    await cancelDue(deps, endpointId, [deliveryId])
    return whyNotBegun(deps, woken)
  }
  const slot = deps.slots.takeNow(slotOwner(endpoint))
  const delivery = slot && (await claimAndBegin(deps, deliveryId, slot))
  return delivery === null ? whyNotBegun(deps, woken) : { outcome: 'begun' }
}

async function whyNotBegun(deps: Deps, { deliveryId, attempts, requeues }: Woken): Promise<WakeOutcome> {
  const delivery = await deps.batchers.lookAtDelivery(deliveryId, noDeadline)
  const isLatest = delivery?.attempts === attempts && delivery.requeues === requeues
  if (!isLatest) return { outcome: 'superseded' }
  // The job must fail, because support staff look for DEAD deliveries among the failed jobs.
  if (delivery.status === 'DEAD') return { outcome: 'dead', last: delivery }
  if (delivery.status === 'CANCELLED') return { outcome: 'cancelled' }
  const { nextAttemptAt } = delivery
  if (nextAttemptAt === null) return { outcome: 'superseded' }
  return nextAttemptAt > deps.now() ? { outcome: 'not-due', again: nextAttemptAt } : { outcome: 'no-slot' }
}
