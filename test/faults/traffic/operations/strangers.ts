import { act, type Context, read, type Tenant, write } from '../context.ts'

type Attempt = () => Promise<unknown>

async function intrude(context: Context): Promise<void> {
  const { world, tenant, chance } = context
  const others = world.tenants.filter((other) => other !== tenant && other.intents.length > 0)
  if (others.length === 0) return
  const stranger: Context = {
    ...context,
    makeCall: (spec, attempt, own) => context.makeCall({ ...spec, actor: 'stranger' }, attempt, own),
    send: (spec, own) => context.send({ ...spec, actor: 'stranger' }, own),
  }
  await chance.pick(attemptsOf(stranger, chance.pick(others)))()
}

function attemptsOf(context: Context, { intents, business, products, ...others }: Tenant): Attempt[] {
  const { chance, tenant } = context
  const intent = `/intents/${chance.pick(intents).referenceNumber}`
  const theirs = business.endpoints.flatMap((each) => (each.sandbox === others.sandbox ? [each.id] : []))
  const [events, endpoints] = ['/webhooks/events', '/webhooks/endpoints']
  const attempts: Attempt[] = [
    () => read(context, 'read', intent),
    () => act(context, 'cancel', `${intent}/cancel`),
    () => write(context, 'refund', `${intent}/refund`, { json: {} }),
    ...products.flatMap(({ id }) => [
      () => read(context, 'product.read', `/store/products/${id}`),
      () => act(context, 'product.delete', `/store/products/${id}`, { method: 'DELETE' }),
    ]),
    ...others.orders.slice(0, 2).map((id) => () => read(context, 'order.read', `/store/orders/${id}`)),
    ...theirs.map((id) => () => read(context, 'endpoint.read', `${endpoints}/${id}`)),
    ...theirs.map((id) => () => act(context, 'endpoint.rotate', `${endpoints}/${id}/rotate-secret`)),
    ...others.deliveries
      .slice(0, 2)
      .map((id) => () => act(context, 'delivery.retry', `${events}/${id}/retry`)),
  ]
  // A live key may delete its business's test endpoints.
  if (business === tenant.business) return attempts
  const { id } = chance.pick(business.endpoints)
  return [...attempts, () => act(context, 'endpoint.delete', `${endpoints}/${id}`, { method: 'DELETE' })]
}

async function overstep(context: Context): Promise<void> {
  const { tenant, chance } = context
  const own = { ...context, key: tenant.publishable }
  const expects = ['SECRET_KEY_REQUIRED']
  const idempotencyKey = context.newKey()
  const json = { amount: 100, label: tenant.marker, metadata: { key: idempotencyKey } }
  const attempts: Attempt[] = [
    () => write(own, 'create', '/intents', { json }, { idempotencyKey, expects }),
    () => read(own, 'list', '/intents', expects),
  ]
  if (tenant.intents.length > 0) {
    const intent = `/intents/${chance.pick(tenant.intents).referenceNumber}`
    attempts.push(
      () => act(own, 'cancel', `${intent}/cancel`, { expects }),
      () => write(own, 'refund', `${intent}/refund`, { json: { amount: 1 } }, { expects }),
    )
  }
  await chance.pick(attempts)()
}

export const ofStrangers = { intrude: [20, intrude], overstep: [8, overstep] } as const
