import { hookName, hooksPerBusiness } from '../hooks.ts'
import { act, read, type Scene, write } from '../scene.ts'
import { dataOf, isGood } from '../wish.ts'

export const everyEvent = [
  ...['created', 'confirmed', 'cancelled', 'expired', 'refunded', 'failed'].map(
    (event) => `payment.${event}`,
  ),
  'order.new',
]

/** The first endpoints of a business have the hooks before this one. */
const firstSpareHook = 3
const spareHook = ({ chance }: Scene): number => chance.whole(firstSpareHook, hooksPerBusiness - 1)
const urlOf = ({ place, world }: Scene, hook: number): string =>
  world.receiversOrigin + hookName(place.business.index, hook)

export async function createEndpoint(scene: Scene): Promise<void> {
  const id = await subscribe(scene, spareHook(scene), someEvents(scene))
  if (id !== null) scene.place.business.endpoints.push({ id, isLasting: false })
}

/** Creates an endpoint and returns its id; null if it was refused. */
export async function subscribe(scene: Scene, hook: number, events: string[]): Promise<string | null> {
  const url = urlOf(scene, hook)
  const other = { url, events: ['order.new'] }
  const call = await write(
    scene,
    'endpoint.create',
    '/webhooks/endpoints',
    { json: { url, events } },
    { other },
  )
  return call === null || !isGood(call) ? null : dataOf<{ id: string }>(call).id
}

export async function updateEndpoint(scene: Scene): Promise<void> {
  const { chance } = scene
  const endpoint = endpointOf(scene)
  if (endpoint === null) return
  const json = {
    ...(chance.is(0.5) && { events: someEvents(scene) }),
    ...(chance.is(0.3) && { url: urlOf(scene, spareHook(scene)) }),
    ...(chance.is(0.6) && { active: chance.is(0.7) }),
  }
  const more = { method: 'PUT', other: { active: false } } as const
  await write(scene, 'endpoint.update', `/webhooks/endpoints/${endpoint}`, { json }, more)
}

export async function deleteEndpoint(scene: Scene): Promise<void> {
  const { business } = scene.place
  const endpoint = endpointOf(scene)
  if (endpoint === null) return
  const call = await act(scene, 'endpoint.delete', `/webhooks/endpoints/${endpoint}`, { method: 'DELETE' })
  if (call !== null) business.endpoints = business.endpoints.filter(({ id }) => id !== endpoint)
}

export async function rotateSecret(scene: Scene): Promise<void> {
  const { id } = scene.chance.pick(scene.place.business.endpoints)
  await act(scene, 'endpoint.rotate', `/webhooks/endpoints/${id}/rotate-secret`)
}

export async function testEndpoint(scene: Scene): Promise<void> {
  const { id } = scene.chance.pick(scene.place.business.endpoints)
  const json = { event: scene.chance.pick(everyEvent) }
  await write(scene, 'endpoint.test', `/webhooks/endpoints/${id}/test`, { json })
}

export const listEndpoints = (scene: Scene): Promise<unknown> => read(scene, 'endpoint.list', '/webhooks')

/** The first endpoints stay as they are, so that most events have somewhere to go. */
function endpointOf({ place, chance }: Scene): string | null {
  const passing = place.business.endpoints.filter(({ isLasting }) => !isLasting)
  return passing.length === 0 ? null : chance.pick(passing).id
}

const someEvents = ({ chance }: Scene): string[] => {
  const some = everyEvent.filter(() => chance.is(0.4))
  return some.length === 0 ? ['payment.confirmed'] : some
}
