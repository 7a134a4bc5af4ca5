import { act, read, type Scene } from '../scene.ts'
import { dataOf, isGood } from '../wish.ts'
import { remember } from '../world.ts'
import { everyEvent } from './endpoints.ts'

/** The merchant lists deliveries, mostly the failed ones. */
export async function listDeliveries(scene: Scene): Promise<void> {
  const { chance, place } = scene
  const status = chance.weighted({ DEAD: 5, RETRYING: 2, DELIVERED: 1, PENDING: 1, '': 2 })
  const query = new URLSearchParams({
    limit: String(chance.pick([5, 20, 50])),
    page: String(chance.pick([1, 1, 2])),
    ...(status !== '' && { status }),
    ...(chance.is(0.2) && { event: chance.pick(everyEvent) }),
    ...(chance.is(0.2) && { endpointId: chance.pick(place.business.endpoints).id }),
  })
  const call = await read(scene, 'delivery.list', `/webhooks/events?${query.toString()}`)
  if (!isGood(call)) return
  const { items } = dataOf<{ items: { id: string; status: string }[] }>(call)
  // A delivered one is not re-queued; some are tried all the same.
  const wanted = items.filter((item) => item.status !== 'DELIVERED' || chance.is(0.1))
  for (const { id } of wanted.slice(0, 10)) remember(place.deliveries, id)
}

export async function readDelivery(scene: Scene): Promise<void> {
  const { chance, place } = scene
  if (place.deliveries.length === 0) await listDeliveries(scene)
  else await read(scene, 'delivery.read', `/webhooks/events/${chance.pick(place.deliveries)}`)
}

export async function retryDelivery(scene: Scene): Promise<void> {
  const { chance, place } = scene
  if (place.deliveries.length === 0) await listDeliveries(scene)
  else await act(scene, 'delivery.retry', `/webhooks/events/${chance.pick(place.deliveries)}/retry`)
}
