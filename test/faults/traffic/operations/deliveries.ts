import { act, type Context, read } from '../context.ts'
import { dataOf, isGood } from '../request-spec.ts'
import { remember } from '../world.ts'
import { everyEvent } from './endpoints.ts'

/** The merchant lists deliveries, mostly the failed ones. */
export async function listDeliveries(context: Context): Promise<void> {
  const { chance, tenant } = context
  const status = chance.weighted({ DEAD: 5, RETRYING: 2, DELIVERED: 1, PENDING: 1, '': 2 })
  const query = new URLSearchParams({
    limit: String(chance.pick([5, 20, 50])),
    page: String(chance.pick([1, 1, 2])),
    ...(status !== '' && { status }),
    ...(chance.is(0.2) && { event: chance.pick(everyEvent) }),
    ...(chance.is(0.2) && { endpointId: chance.pick(tenant.business.endpoints).id }),
  })
  const call = await read(context, 'delivery.list', `/webhooks/events?${query.toString()}`)
  if (!isGood(call)) return
  const { items } = dataOf<{ items: { id: string; status: string; url: string | null }[] }>(call)
  // A test key may not retry deliveries to live endpoints, whose URL is null. Delivered deliveries cannot be re-queued,
  // but a few requests try it.
  const wanted = items.filter((item) => item.url !== null && (item.status !== 'DELIVERED' || chance.is(0.1)))
  for (const { id } of wanted.slice(0, 10)) remember(tenant.deliveries, id)
}

export async function readDelivery(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.deliveries.length === 0) await listDeliveries(context)
  else await read(context, 'delivery.read', `/webhooks/events/${chance.pick(tenant.deliveries)}`)
}

export async function retryDelivery(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.deliveries.length === 0) await listDeliveries(context)
  else await act(context, 'delivery.retry', `/webhooks/events/${chance.pick(tenant.deliveries)}/retry`)
}
