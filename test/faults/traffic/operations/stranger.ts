import { act, read, type Scene, write } from '../scene.ts'
import type { Place } from '../world.ts'

/** A merchant with a good key of its own, after the things of another business, or of its own other environment. */
export async function intrude(scene: Scene): Promise<void> {
  const { world, place, chance } = scene
  const others = world.places.filter((other) => other !== place && other.intents.length > 0)
  if (others.length === 0) return
  const stranger = asStranger(scene)
  const theirs = chance.pick(others)
  await chance.pick(waysIn(stranger, theirs))()
}

/** The same scene, in which every wish is a stranger's. */
const asStranger = (scene: Scene): Scene => ({
  ...scene,
  ask: (wish, attempt, chance) => scene.ask({ ...wish, actor: 'stranger' }, attempt, chance),
  send: (wish, chance) => scene.send({ ...wish, actor: 'stranger' }, chance),
})

/** Receivers belong to a business: of its own other environment they are no stranger's. */
function waysIn(scene: Scene, theirs: Place): (() => Promise<unknown>)[] {
  const { chance, place } = scene
  const { intents, business, products, orders, deliveries } = theirs
  const intent = `/intents/${chance.pick(intents).reference}`
  const refund = { idempotencyKey: scene.newKey(), body: { json: {} }, otherBody: null }
  const ways = [
    () => read(scene, 'read', intent),
    () => act(scene, 'cancel', `${intent}/cancel`, 'POST'),
    () => write(scene, { what: 'refund', method: 'POST', path: `${intent}/refund`, ...refund }),
    ...products.map(
      ({ id }) =>
        () =>
          read(scene, 'product.read', `/store/products/${id}`),
    ),
    ...products.map(
      ({ id }) =>
        () =>
          act(scene, 'product.delete', `/store/products/${id}`, 'DELETE'),
    ),
    ...orders.slice(0, 2).map((id) => () => read(scene, 'order.read', `/store/orders/${id}`)),
    ...deliveries
      .slice(0, 2)
      .map((id) => () => act(scene, 'delivery.retry', `/webhooks/events/${id}/retry`, 'POST')),
  ]
  return business === place.business ? ways : [...ways, ...waysToReceivers(scene, theirs)]
}

function waysToReceivers(scene: Scene, { business: { endpoints } }: Place) {
  const { id } = scene.chance.pick(endpoints)
  const endpoint = `/webhooks/endpoints/${id}`
  return [
    () => act(scene, 'endpoint.delete', endpoint, 'DELETE'),
    () => act(scene, 'endpoint.rotate', `${endpoint}/rotate-secret`, 'POST'),
  ]
}
