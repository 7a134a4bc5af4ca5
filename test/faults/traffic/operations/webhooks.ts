import { dataOf } from '../../checker/responses.ts'
import type { What } from '../../evidence/evidence.ts'
import { act, type Context, read, remember, write } from '../context.ts'
import { hookName, hooksPerBusiness } from '../endpoint-servers.ts'

export const everyEvent = [
  ...'created confirmed cancelled expired refunded failed'.split(' ').map((name) => `payment.${name}`),
  'order.new',
]
const someEvents = ({ chance }: Context): string[] => {
  const chosen = everyEvent.filter(() => chance.is(0.4))
  return chosen.length === 0 ? ['payment.confirmed'] : chosen
}

const firstSpareHook = 3
const spareHook = ({ chance }: Context): number => chance.whole(firstSpareHook, hooksPerBusiness - 1)
const urlOf = ({ tenant, world }: Context, hook: number): string =>
  world.endpointsOrigin + hookName(tenant.business.index, hook)

export async function subscribe(context: Context, hook: number, events: string[]): Promise<string | null> {
  const url = urlOf(context, hook)
  const more = { other: { url, events: ['order.new'] } }
  const call = await write(context, 'endpoint.create', '/webhooks/endpoints', { json: { url, events } }, more)
  return dataOf<{ id: string }>(call)?.id ?? null
}

async function createEndpoint(context: Context): Promise<void> {
  const id = await subscribe(context, spareHook(context), someEvents(context))
  const { business, sandbox } = context.tenant
  if (id !== null) business.endpoints.push({ id, sandbox, isLasting: false })
}

/** In the key's environment. Lasting endpoints aren't changed, so that most events have one. */
function anEndpoint({ tenant: { business, sandbox }, chance }: Context, isChanged: boolean): string | null {
  const own = business.endpoints.filter((each) => each.sandbox === sandbox && !(isChanged && each.isLasting))
  return own.length === 0 ? null : `/webhooks/endpoints/${chance.pick(own).id}`
}

async function updateEndpoint(context: Context): Promise<void> {
  const { chance } = context
  const path = anEndpoint(context, true)
  if (path === null) return
  const json = {
    ...(chance.is(0.5) && { events: someEvents(context) }),
    ...(chance.is(0.3) && { url: urlOf(context, spareHook(context)) }),
    ...(chance.is(0.2) && { headers: { 'X-Password': `p-${chance.whole(1, 9)}` } }),
    ...(chance.is(0.6) && { active: chance.is(0.7) }),
  }
  await write(context, 'endpoint.update', path, { json }, { method: 'PUT', other: { active: false } })
}

async function deleteEndpoint(context: Context): Promise<void> {
  const { business } = context.tenant
  const path = anEndpoint(context, true)
  if (path === null) return
  const call = await act(context, 'endpoint.delete', path, { method: 'DELETE' })
  if (call !== null) business.endpoints = business.endpoints.filter(({ id }) => !path.endsWith(id))
}

async function rotateSecret(context: Context): Promise<void> {
  const path = anEndpoint(context, false)
  if (path !== null) await act(context, 'endpoint.rotate', `${path}/rotate-secret`)
}

async function readEndpoint(context: Context): Promise<void> {
  const path = anEndpoint(context, false)
  if (path !== null) await read(context, 'endpoint.read', path)
}

async function testEndpoint(context: Context): Promise<void> {
  const path = anEndpoint(context, false)
  const json = { event: context.chance.pick(everyEvent) }
  if (path !== null) await write(context, 'endpoint.test', `${path}/test`, { json })
}

async function listDeliveries(context: Context): Promise<void> {
  const { chance, tenant } = context
  const status = chance.weighted({ DEAD: 5, RETRYING: 2, DELIVERED: 1, PENDING: 1, '': 2 })
  const query = new URLSearchParams({
    limit: String(chance.pick([5, 20, 50])),
    page: String(chance.pick([1, 1, 2])),
    ...(status !== '' && { status }),
    ...(chance.is(0.2) && { event: chance.pick(everyEvent) }),
    ...(chance.is(0.2) && { endpointId: chance.pick(tenant.business.endpoints).id }),
  })
  type Shown = { id: string; status: string; url: string | null }
  const call = await read(context, 'delivery.list', `/webhooks/events?${query.toString()}`)
  const items = dataOf<{ items: Shown[] }>(call)?.items ?? []
  // A test key may not retry deliveries to live endpoints, whose URL is null. Delivered ones can't be re-queued, but a
  // few requests try.
  const wanted = items.filter((item) => item.url !== null && (item.status !== 'DELIVERED' || chance.is(0.1)))
  for (const { id } of wanted.slice(0, 10)) remember(tenant.deliveries, id)
}

const onADelivery =
  (what: What, isRead: boolean) =>
  async (context: Context): Promise<unknown> => {
    const { chance, tenant } = context
    if (tenant.deliveries.length === 0) return listDeliveries(context)
    const path = `/webhooks/events/${chance.pick(tenant.deliveries)}`
    return isRead ? read(context, what, path) : act(context, what, `${path}/retry`)
  }

async function startReplay(context: Context): Promise<void> {
  const { chance, tenant, world } = context
  const endpoint = anEndpoint(context, false)
  if (endpoint === null) return
  const path = `${endpoint}/replay`
  const before = (seconds: number): string => new Date(world.now() - seconds * 1000).toISOString()
  const isTyped = chance.is(0.3)
  const json = {
    from: before(chance.whole(5, 40)),
    ...(chance.is(0.3) && { to: before(chance.whole(0, 4)) }),
    ...(chance.is(0.4) && { onlyUndelivered: true }),
    ...(isTyped && { events: ['payment.confirmed'] }),
  }
  const more = { other: { ...json, from: before(41) }, expects: isTyped ? ['INVALID_WEBHOOK_EVENT'] : [] }
  if (chance.is(0.2)) await write(context, 'replay.dry', path, { json: { ...json, dryRun: true } }, more)
  const made = dataOf<{ id: string }>(await write(context, 'replay', path, { json }, more))
  if (made !== null) remember(tenant.replays, `${path}s/${made.id}`)
}

async function followReplay(context: Context): Promise<void> {
  const path = context.tenant.replays.at(-1)
  if (path === undefined) return
  if (context.chance.is(0.4)) await act(context, 'replay.cancel', `${path}/cancel`)
  await read(context, 'replay.read', path)
  await read(context, 'replay.list', path.slice(0, path.lastIndexOf('/')))
}

export const ofWebhooks = {
  listDeliveries: [20, listDeliveries],
  readDelivery: [10, onADelivery('delivery.read', true)],
  retryDelivery: [10, onADelivery('delivery.retry', false)],
  startReplay: [12, startReplay],
  followReplay: [8, followReplay],
  createEndpoint: [8, createEndpoint],
  updateEndpoint: [8, updateEndpoint],
  deleteEndpoint: [4, deleteEndpoint],
  rotateSecret: [3, rotateSecret],
  testEndpoint: [4, testEndpoint],
  readEndpoint: [4, readEndpoint],
  listEndpoints: [4, (context: Context) => read(context, 'endpoint.list', '/webhooks')],
} as const
