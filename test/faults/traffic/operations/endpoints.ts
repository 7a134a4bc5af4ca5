import { hookName, hooksPerBusiness } from '../hooks.ts'
import { act, read, type Scene, write } from '../scene.ts'
import { dataOf, isGood } from '../wish.ts'

export const everyEvent = [
  'payment.created',
  'payment.confirmed',
  'payment.cancelled',
  'payment.expired',
  'payment.refunded',
  'payment.failed',
  'order.new',
]

/** Of a business's hooks those that its first endpoints do not have. */
const firstSpareHook = 3

export async function createEndpoint(scene: Scene): Promise<void> {
  const { business } = scene.place
  const hook = scene.chance.whole(firstSpareHook, hooksPerBusiness - 1)
  const id = await subscribe(scene, hook, someEvents(scene))
  if (id !== null) business.endpoints.push({ id, isLasting: false })
}

/** Makes an endpoint at a hook of the business and answers its id; null where it was refused. */
export async function subscribe(scene: Scene, hook: number, events: string[]): Promise<string | null> {
  const { place, world } = scene
  const url = world.receiversOrigin + hookName(place.business.index, hook)
  const call = await write(scene, {
    what: 'endpoint.create',
    method: 'POST',
    path: '/webhooks/endpoints',
    idempotencyKey: scene.newKey(),
    body: { json: { url, events } },
    otherBody: { json: { url, events: ['order.new'] } },
  })
  return call === null || !isGood(call) ? null : dataOf<{ id: string }>(call).id
}

/** It may add events, take some away, go to another hook of the business, or rest for a while. */
export async function updateEndpoint(scene: Scene): Promise<void> {
  const { chance, place, world } = scene
  const endpoint = endpointOf(scene)
  if (endpoint === null) return
  const hook = chance.whole(firstSpareHook, hooksPerBusiness - 1)
  const json = {
    ...(chance.is(0.5) && { events: someEvents(scene) }),
    ...(chance.is(0.3) && { url: world.receiversOrigin + hookName(place.business.index, hook) }),
    ...(chance.is(0.6) && { active: chance.is(0.7) }),
  }
  await write(scene, {
    what: 'endpoint.update',
    method: 'PUT',
    path: `/webhooks/endpoints/${endpoint}`,
    idempotencyKey: scene.newKey(),
    body: { json },
    otherBody: { json: { active: false } },
  })
}

export async function deleteEndpoint(scene: Scene): Promise<void> {
  const { business } = scene.place
  const endpoint = endpointOf(scene)
  if (endpoint === null) return
  const call = await act(scene, 'endpoint.delete', `/webhooks/endpoints/${endpoint}`, 'DELETE')
  if (call !== null) business.endpoints = business.endpoints.filter(({ id }) => id !== endpoint)
}

/** Of any endpoint, also one that always works. */
export async function rotateSecret(scene: Scene): Promise<void> {
  const { id } = scene.chance.pick(scene.place.business.endpoints)
  await act(scene, 'endpoint.rotate', `/webhooks/endpoints/${id}/rotate-secret`, 'POST')
}

export async function testEndpoint(scene: Scene): Promise<void> {
  const { id } = scene.chance.pick(scene.place.business.endpoints)
  await write(scene, {
    what: 'endpoint.test',
    method: 'POST',
    path: `/webhooks/endpoints/${id}/test`,
    idempotencyKey: scene.newKey(),
    body: { json: { event: scene.chance.pick(everyEvent) } },
    otherBody: null,
  })
}

export const listEndpoints = (scene: Scene): Promise<unknown> => read(scene, 'endpoint.list', '/webhooks')

/** One that came later; the first ones stay as they are, so that most events have somebody to go to. */
function endpointOf({ place, chance }: Scene): string | null {
  const passing = place.business.endpoints.filter(({ isLasting }) => !isLasting)
  return passing.length === 0 ? null : chance.pick(passing).id
}

const someEvents = ({ chance }: Scene): string[] => {
  const some = everyEvent.filter(() => chance.is(0.4))
  return some.length === 0 ? ['payment.confirmed'] : some
}
