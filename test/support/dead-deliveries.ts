import { newId } from '../../src/security/ids.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { deliveryId } from '../../src/webhooks/deliveries/delivery-id.ts'
import { attempt, freshDelivery, storedDelivery } from './actions.ts'
import type { Merchant, Service } from './service.ts'

/** Makes attempts, each when it is due, until the delivery needs no more. The clock goes on. */
export async function makeAllAttempts(service: Service, delivery: { _id: string }): Promise<Delivery> {
  for (;;) {
    const { nextAttemptAt } = await storedDelivery(service, delivery)
    if (nextAttemptAt === null) return storedDelivery(service, delivery)
    service.clock.advance(Math.max(0, nextAttemptAt.getTime() - service.clock.now().getTime()))
    await attempt(service.deps, delivery._id)
  }
}

/** Waits that the tests' clock walks over, long before a session is over. */
export const shortRetryDelays = { WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' }

/** A delivery of a new payment that was attempted 8 times and is DEAD; the merchant's one endpoint must fail. */
export async function deadDelivery(service: Service, merchant: Merchant): Promise<Delivery> {
  const dead = await makeAllAttempts(service, await freshDelivery(service, merchant))
  if (dead.status !== 'DEAD') throw new Error(`it is ${dead.status}`)
  return dead
}

/** So many deliveries like one of the merchant's, as eight failures leave them, the first of which died longest ago. */
export async function deadDeliveries(
  service: Service,
  merchant: Merchant,
  count: number,
): Promise<Delivery[]> {
  const like = await freshDelivery(service, merchant)
  await service.deps.Delivery.deleteOne({ _id: like._id })
  const now = service.clock.now().getTime()
  const dead = Array.from({ length: count }, (_, index): Delivery => {
    const deadAt = new Date(now - (count - index) * 1000)
    const _id = deliveryId(newId(), like.endpointId)
    return { ...like, _id, status: 'DEAD', attempts: 8, nextAttemptAt: null, deadAt }
  })
  await service.deps.Delivery.collection.insertMany(dead as never[])
  return dead
}
