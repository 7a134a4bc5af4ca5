import { newId } from '../../src/platform/ids.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { attempt, freshDelivery, storedDelivery } from './actions.ts'
import type { Merchant, Service } from './service.ts'

export async function makeAllAttempts(service: Service, delivery: { _id: string }): Promise<Delivery> {
  for (;;) {
    const { nextAttemptAt } = await storedDelivery(service, delivery)
    if (nextAttemptAt === null) return storedDelivery(service, delivery)
    service.clock.advance(Math.max(0, nextAttemptAt.getTime() - service.clock.now().getTime()))
    await attempt(service.deps, delivery._id)
  }
}

/** Short, so that no session expires while the clock advances past them. */
export const shortRetryDelays = { WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' }

export async function deadDelivery(service: Service, merchant: Merchant): Promise<Delivery> {
  const dead = await makeAllAttempts(service, await freshDelivery(service, merchant))
  if (dead.status !== 'DEAD') throw new Error(`the delivery is ${dead.status}`)
  return dead
}

export async function deadDeliveries(service: Service, merchant: Merchant, count: number) {
  const model = await freshDelivery(service, merchant)
  excuse([model.referenceNumber])
  await service.deps.Delivery.deleteOne({ _id: model._id })
  const now = service.clock.now().getTime()
  const dead = Array.from({ length: count }, (_, index): Delivery => {
    const deadAt = new Date(now - (count - index) * 1000)
    const _id = makeDeliveryId(newId(), model.endpointId)
    return { ...model, _id, status: 'DEAD', attempts: 8, nextAttemptAt: null, deadAt }
  })
  excuse(dead.map(({ _id }) => _id))
  await service.deps.Delivery.collection.insertMany(dead as never[])
  return dead
}
