import type { CreatedIntent } from '../../clients/typescript/payments.ts'
import { type BusinessChange, changeBusiness } from '../../src/businesses/change-business.ts'
import { createIntent as insertIntent, parseNewIntent } from '../../src/intents/create.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { relayOutboxes } from '../../src/relay/relay.ts'
import { type WakeOutcome, wakeDelivery } from '../../src/webhooks/attempts/attempt-due.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { eventIdOf } from '../../src/webhooks/deliveries/delivery.ts'
import { createEndpoint, parseNewEndpoint } from '../../src/webhooks/endpoints/change.ts'
import { composeEventData, findBodySource, webhookBody } from '../../src/webhooks/message.ts'
import { callerOf } from './caller.ts'
import { httpTo, type Merchant, openService, type Service, sharedEnvironment } from './service.ts'
import { waitFor } from './wait-for.ts'
import { dataOf, newRequest } from './write-request.ts'

export type Subscription = { id: string; secret: string; standardSecret: string }
export const paymentEvents = ['payment.created', 'payment.cancelled', 'payment.expired']
const callerBy = (merchant: Merchant) => callerOf(merchant, merchant.key.includes('_test_'))

export async function subscribe(
  service: Service,
  merchant: Merchant,
  url: string,
  events: readonly string[] = paymentEvents,
): Promise<Subscription> {
  service.allowHost(new URL(url).host)
  const { deps } = service
  const caller = callerBy(merchant)
  const described = parseNewEndpoint(deps, caller, { url, events })
  const created = await createEndpoint(deps, caller, described, newRequest(deps))
  return (await dataOf(created)) as unknown as Subscription
}

export type Created = CreatedIntent & { code: string; codeUrl: string }

export async function createIntent(
  { deps }: Service,
  merchant: Merchant,
  input: object = { amount: 50_000 },
): Promise<Created> {
  const caller = callerBy(merchant)
  const created = await insertIntent(
    deps,
    caller,
    parseNewIntent(deps, caller.sandbox, input),
    newRequest(deps),
  )
  return JSON.parse(JSON.stringify(await dataOf(created)))
}

export async function requestIntent(service: Service, merchant: Merchant, input?: object): Promise<Created> {
  const text = JSON.stringify(input ?? { amount: 50_000 })
  const { status, body } = await post(service, merchant, '/intents', text)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data as unknown as Created
}

export async function changeAsOperator(service: Service, id: string, change: BusinessChange): Promise<void> {
  const actor = { kind: 'operator', name: 'awa.diop', from: null } as const
  const changed = await changeBusiness(service.deps, id, change, {
    actor,
    reason: null,
    act: 'business.limited',
  })
  if (changed === null) throw new Error(`no business ${id}`)
}

export const cancelIntent = (service: Service, merchant: Merchant, referenceNumber: string) =>
  post(service, merchant, `/intents/${referenceNumber}/cancel`, '')
export type ApiResponse = { status: number; body: { data: Record<string, unknown>; error: { code: string } } }

export async function post({ origin }: Service, merchant: Merchant, path: string, body: string) {
  const headers = { ...merchant.write(), 'Content-Type': 'application/json' }
  const response: ApiResponse = await httpTo(origin).post(`/api/v1/dev${path}`).set(headers).send(body)
  return { status: response.status, body: response.body }
}

/** To any process. Unlike supertest, `fetch` keeps the headers' case and can be aborted. */
export const sendJson = (
  origin: string,
  headers: Record<string, string>,
  path: string,
  body: object,
  more?: RequestInit,
): Promise<Response> =>
  fetch(`${origin}/api/v1/dev${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...more,
  })

export const readIntent = async (service: Service, merchant: Merchant, referenceNumber: string) =>
  (await service.http.get(`/api/v1/dev/intents/${referenceNumber}`).set(merchant.read())).body.data

export async function outboxEvents(service: Service, { businessId }: Merchant): Promise<string[]> {
  const { Intent, Order } = service.deps
  const found = [
    ...(await Intent.find({ businessId }).lean()),
    ...(await Order.find({ businessId, status: 'PLACED' }).lean()),
  ]
  return found.flatMap(({ outbox }) => outbox.map(({ event }) => event))
}

export async function relay(service: Service, { businessId }: Merchant, deps = service.deps) {
  const { Intent, Order } = service.deps
  const [intents, orders] = await Promise.all([
    Intent.find({ businessId }, { _id: 1 }).lean(),
    Order.find({ businessId }, { _id: 1 }).lean(),
  ])
  const { events, deliveries } = await relayOutboxes(deps, {
    intentIds: intents.map(({ _id }) => _id),
    orderIds: orders.map(({ _id }) => _id),
  })
  return { events, deliveries }
}

/** Relays the merchant's events until a program that waits for some has ended. */
export async function relayDuring<T>(service: Service, merchant: Merchant, program: Promise<T>): Promise<T> {
  let hasEnded = false
  const ended = program.finally(() => void (hasEnded = true))
  const relaying = waitFor('the program has ended', async () => {
    await relay(service, merchant)
    return hasEnded
  })
  return (await Promise.all([ended, relaying]))[0]
}

export async function deliveriesOf(service: Service, { businessId }: Merchant): Promise<Delivery[]> {
  const found = await service.deps.Delivery.find({ businessId }).lean<Delivery[]>()
  return found.toSorted((a, b) => eventIdOf(a._id).localeCompare(eventIdOf(b._id)))
}

export async function storedBody(service: Service, delivery: Delivery | undefined): Promise<string> {
  const source = await findBodySource(service.deps, delivery?.referenceNumber ?? '')
  if (delivery === undefined || source === null) throw new Error('there is no such delivery')
  return webhookBody(delivery, source)
}

export const storedBodies = (service: Service, deliveries: Delivery[]) =>
  Promise.all(deliveries.map(async (delivery) => JSON.parse(await storedBody(service, delivery))))

export async function outboxData(service: Service, referenceNumber: string) {
  const { outbox, ...intent } = await service.deps.Intent.findOne({ referenceNumber }).orFail().lean()
  return outbox.map((each) => ({ event: each.event, data: JSON.parse(composeEventData(each, intent)) }))
}

export async function freshDelivery(service: Service, merchant: Merchant): Promise<Delivery> {
  const { referenceNumber } = await createIntent(service, merchant)
  await relay(service, merchant)
  // Another relay of this process may be inserting it.
  return waitFor('the delivery is stored', () =>
    service.deps.Delivery.findOne({ referenceNumber }).lean<Delivery | null>(),
  )
}

/** Makes an endpoint look as if it had failed lately, so it starts with 2 slots. */
export async function recordFailures(service: Service, endpointId: string): Promise<void> {
  await service.deps.Endpoint.updateOne({ _id: endpointId }, { $set: { 'health.failuresInRow': 3 } })
}

/** Makes other processes give the endpoint 50 slots from the beginning. */
export async function recordRecentSuccess(service: Service, endpointId: string): Promise<void> {
  const $set = { 'health.lastSuccessAt': service.clock.now() }
  await service.deps.Endpoint.updateOne({ _id: endpointId }, { $set })
}

/** How an attempt ended, or why there was none. `lost`: its result was not recorded. */
export interface AttemptResult {
  outcome: 'delivered' | 'retrying' | 'dead' | 'cancelled' | 'lost' | Exclude<WakeOutcome['outcome'], 'begun'>
  nextAttemptAt: Date | null
  attempts: number
}

const outcomes = {
  DELIVERED: 'delivered',
  RETRYING: 'retrying',
  DEAD: 'dead',
  CANCELLED: 'cancelled',
} as const

/** A test's concurrent attempts. Slots are open only during them, so that a relay begins no attempt. */
const running = new WeakMap<Deps, number>()

export async function attempt(deps: Deps, deliveryId: string): Promise<AttemptResult> {
  const before = await deps.batchers.lookAtDelivery(deliveryId, noDeadline)
  const { attempts = 0, requeues = 0 } = before ?? {}
  running.set(deps, (running.get(deps) ?? 0) + 1)
  deps.slots.open()
  const woken = await wakeDelivery(deps, { _id: deliveryId, attempts, requeues })
  await deps.backgroundWork.ended()
  const left = (running.get(deps) ?? 1) - 1
  running.set(deps, left)
  if (left === 0) deps.slots.close()
  const after = await deps.batchers.lookAtDelivery(deliveryId, noDeadline)
  const { nextAttemptAt = null } = after ?? {}
  if (woken.outcome !== 'begun') return { outcome: woken.outcome, nextAttemptAt, attempts }
  const isRecorded = after !== null && (after.attempts > attempts || after.status === 'CANCELLED')
  const outcome = isRecorded && after.status !== 'PENDING' ? outcomes[after.status] : 'lost'
  return { outcome, nextAttemptAt, attempts: after?.attempts ?? 0 }
}

export async function storedDelivery(service: Service, { _id }: { _id: string }): Promise<Delivery> {
  const delivery = await service.deps.Delivery.findById(_id).lean<Delivery | null>()
  if (delivery === null) throw new Error(`no delivery ${_id}`)
  return delivery
}

export const openSecondProcess = (service: Service, environment: Record<string, string> = {}) =>
  openService({ ...sharedEnvironment(service), ...environment })
