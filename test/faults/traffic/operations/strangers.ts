import { act, read, type Scene, write } from '../scene.ts'
import type { Place } from '../world.ts'

type Attempt = () => Promise<unknown>

/** A merchant requests what belongs to another business, or to the other environment of its own. */
export async function intrude(scene: Scene): Promise<void> {
  const { world, place, chance } = scene
  const others = world.places.filter((other) => other !== place && other.intents.length > 0)
  if (others.length === 0) return
  const stranger: Scene = {
    ...scene,
    ask: (wish, attempt, its) => scene.ask({ ...wish, actor: 'stranger' }, attempt, its),
    send: (wish, its) => scene.send({ ...wish, actor: 'stranger' }, its),
  }
  await chance.pick(attemptsOf(stranger, chance.pick(others)))()
}

function attemptsOf(scene: Scene, { intents, business, products, orders, deliveries }: Place): Attempt[] {
  const { chance, place } = scene
  const intent = `/intents/${chance.pick(intents).reference}`
  const endpoint = `/webhooks/endpoints/${chance.pick(business.endpoints).id}`
  const attempts: Attempt[] = [
    () => read(scene, 'read', intent),
    () => act(scene, 'cancel', `${intent}/cancel`),
    () => write(scene, 'refund', `${intent}/refund`, { json: {} }),
    ...products.flatMap(({ id }) => [
      () => read(scene, 'product.read', `/store/products/${id}`),
      () => act(scene, 'product.delete', `/store/products/${id}`, { method: 'DELETE' }),
    ]),
    ...orders.slice(0, 2).map((id) => () => read(scene, 'order.read', `/store/orders/${id}`)),
    ...deliveries.slice(0, 2).map((id) => () => act(scene, 'delivery.retry', `/webhooks/events/${id}/retry`)),
  ]
  // Endpoints belong to both environments of a business.
  if (business === place.business) return attempts
  return [
    ...attempts,
    () => act(scene, 'endpoint.delete', endpoint, { method: 'DELETE' }),
    () => act(scene, 'endpoint.rotate', `${endpoint}/rotate-secret`),
  ]
}

/** A publishable key, which anybody may read on a page, may only read single intents. */
export async function overstep(scene: Scene): Promise<void> {
  const { place, chance } = scene
  const own = { ...scene, key: place.publishable }
  const expects = ['SECRET_KEY_REQUIRED']
  const idempotencyKey = scene.newKey()
  const json = { amount: 100, label: place.marker, metadata: { key: idempotencyKey } }
  const attempts: Attempt[] = [
    () => write(own, 'create', '/intents', { json }, { idempotencyKey, expects }),
    () => read(own, 'list', '/intents', expects),
  ]
  if (place.intents.length > 0) {
    const intent = `/intents/${chance.pick(place.intents).reference}`
    attempts.push(
      () => act(own, 'cancel', `${intent}/cancel`, { expects }),
      () => write(own, 'refund', `${intent}/refund`, { json: { amount: 1 } }, { expects }),
    )
  }
  await chance.pick(attempts)()
}
