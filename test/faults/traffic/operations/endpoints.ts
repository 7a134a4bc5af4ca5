import { act, type Context, read, write } from '../context.ts'
import { hookName, hooksPerBusiness } from '../hooks.ts'
import { dataOf, isGood } from '../request-spec.ts'

export const everyEvent = [
  ...['created', 'confirmed', 'cancelled', 'expired', 'refunded', 'failed'].map((event) => `payment.${event}`),
  'order.new',
]

/** The lasting endpoints of a business have the hooks before this one. */
const firstSpareHook = 3
const spareHook = ({ chance }: Context): number => chance.whole(firstSpareHook, hooksPerBusiness - 1)
const urlOf = ({ tenant, world }: Context, hook: number): string =>
  world.endpointsOrigin + hookName(tenant.business.index, hook)

export async function createEndpoint(context: Context): Promise<void> {
  const id = await subscribe(context, spareHook(context), someEvents(context))
  const { business, sandbox } = context.tenant
  if (id !== null) business.endpoints.push({ id, sandbox, isLasting: false })
}

/** Creates an endpoint and returns its id, or null if that was refused. */
export async function subscribe(context: Context, hook: number, events: string[]): Promise<string | null> {
  const url = urlOf(context, hook)
  const body = { json: { url, events } }
  const more = { other: { url, events: ['order.new'] } }
  const call = await write(context, 'endpoint.create', '/webhooks/endpoints', body, more)
  return call === null || !isGood(call) ? null : dataOf<{ id: string }>(call).id
}

export async function updateEndpoint(context: Context): Promise<void> {
  const { chance } = context
  const endpoint = passingEndpoint(context)
  if (endpoint === null) return
  const json = {
    ...(chance.is(0.5) && { events: someEvents(context) }),
    ...(chance.is(0.3) && { url: urlOf(context, spareHook(context)) }),
    ...(chance.is(0.6) && { active: chance.is(0.7) }),
  }
  const more = { method: 'PUT', other: { active: false } } as const
  await write(context, 'endpoint.update', `/webhooks/endpoints/${endpoint}`, { json }, more)
}

export async function deleteEndpoint(context: Context): Promise<void> {
  const { business } = context.tenant
  const endpoint = passingEndpoint(context)
  if (endpoint === null) return
  const call = await act(context, 'endpoint.delete', `/webhooks/endpoints/${endpoint}`, { method: 'DELETE' })
  if (call !== null) business.endpoints = business.endpoints.filter(({ id }) => id !== endpoint)
}

export async function rotateSecret(context: Context): Promise<void> {
  const id = anyEndpoint(context)
  if (id !== null) await act(context, 'endpoint.rotate', `/webhooks/endpoints/${id}/rotate-secret`)
}

export async function testEndpoint(context: Context): Promise<void> {
  const id = anyEndpoint(context)
  const json = { event: context.chance.pick(everyEvent) }
  if (id !== null) await write(context, 'endpoint.test', `/webhooks/endpoints/${id}/test`, { json })
}

export const listEndpoints = (context: Context): Promise<unknown> => read(context, 'endpoint.list', '/webhooks')

/** An endpoint of the key's environment. */
export const anyEndpoint = (context: Context): string | null => pickFrom(context, () => true)

/** An endpoint that may be changed. The lasting ones are not, so that most events have an endpoint. */
const passingEndpoint = (context: Context): string | null => pickFrom(context, ({ isLasting }) => !isLasting)

function pickFrom({ tenant, chance }: Context, isWanted: (endpoint: { isLasting: boolean }) => boolean): string | null {
  const { business, sandbox } = tenant
  const own = business.endpoints.filter((endpoint) => endpoint.sandbox === sandbox && isWanted(endpoint))
  return own.length === 0 ? null : chance.pick(own).id
}

const someEvents = ({ chance }: Context): string[] => {
  const chosen = everyEvent.filter(() => chance.is(0.4))
  return chosen.length === 0 ? ['payment.confirmed'] : chosen
}
