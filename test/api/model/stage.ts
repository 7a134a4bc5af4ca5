import type { Test } from 'supertest'
import { expireIntent } from '../../../src/intents/expire.ts'
import type { Delivery } from '../../../src/webhooks/deliveries/delivery.ts'
import { fill, follow, open, wallets } from '../../checkout/customer.ts'
import { relay, storedBodies, subscribe } from '../../support/actions.ts'
import { type Merchant, type Service, withAnotherKey } from '../../support/service.ts'
import type { CallerName, Due, Search, Seen, WalletName, Write } from './model.ts'

export interface Stage {
  service: Service
  businesses: Merchant[]
  callers: Record<CallerName, Merchant>
  made: { referenceNumber: string; shortCode: string }[]
  texts: Map<string, string>
}

export interface Actual extends Omit<Due, 'kept'> {
  text: string
  made: Stage['made'][number] | null
}

const base = '/api/v1/dev'
const unusedEndpoint = 'http://127.0.0.1:9/hook'
const events = ['created', 'confirmed', 'cancelled', 'expired', 'refunded', 'failed'].map(
  (name) => `payment.${name}`,
)

export async function openStage(service: Service): Promise<Stage> {
  const [till, stranger] = await Promise.all([service.merchant(), service.merchant()])
  const [office, live] = await Promise.all([
    withAnotherKey(service, till),
    withAnotherKey(service, till, { mode: 'live' }),
    subscribe(service, stranger, unusedEndpoint, events),
  ])
  const callers = { till, office, live, stranger }
  await subscribe(service, callers.live, unusedEndpoint, events)
  return { service, businesses: [till, stranger], callers, made: [], texts: new Map() }
}

const pathTo = ({ made }: Stage, to: number) =>
  `/intents/${made[to]?.referenceNumber ?? `PI-22222222222222${to + 10}`}`
const operations = { cancel: 'cancel', refund: 'refund', simulate: 'simulate-payment' }

export async function send(stage: Stage, write: Write): Promise<Actual> {
  const path = write.what === 'create' ? '/intents' : `${pathTo(stage, write.to)}/${operations[write.what]}`
  return call(
    stage.service.http
      .post(base + path)
      .set(stage.callers[write.by].write(write.key))
      .send(write.body),
  )
}

export const look = (stage: Stage, by: CallerName, to: number): Promise<Actual> =>
  call(stage.service.http.get(base + pathTo(stage, to)).set(stage.callers[by].read()))

async function call(request: Test): Promise<Actual> {
  const { status, headers, text, body } = await request
  const { data = null, error } = body
  const replayed = headers['idempotent-params-mismatch'] === 'true' ? 'other' : 'same'
  const replay = headers['idempotent-replayed'] === 'true' ? replayed : 'no'
  const seen = data === null ? null : seenIn(data)
  return { status, code: error?.code ?? null, seen, text, replay, made: data }
}

/** The response to a create request has fewer fields. */
interface Shown extends Pick<Seen, 'status' | 'amount' | 'sandbox' | 'expiresAt'> {
  code: string | null
  cancellationReason?: string
  failure?: Seen['failure']
  payment?: { amountPaid: number } | null
  refunds?: Refund[]
  totalAmountRefunded?: number
}
type Refund = { amount: number; status: string }

function seenIn(data: Shown): Seen {
  const { status, amount, sandbox, expiresAt } = data
  return {
    status,
    amount,
    sandbox,
    hasCode: /^\d{6}$/.test(data.code ?? ''),
    reason: data.cancellationReason ?? null,
    failure: data.failure ?? null,
    paid: data.payment?.amountPaid ?? null,
    refunds: amountsOf(data.refunds ?? []),
    refunded: data.totalAmountRefunded ?? 0,
    expiresAt,
  }
}

/** Oldest first. One of two concurrent refunds may show the other as pending. */
const amountsOf = (refunds: Refund[]): number[] =>
  refunds
    .filter(({ status }) => status === 'SUCCEEDED')
    .map(({ amount }) => amount)
    .toSorted((a, b) => a - b)

export async function search(
  { service, callers, made }: Stage,
  { by, status, minAmount, page, limit }: Search,
) {
  const query = { page, limit, ...(status && { status }), ...(minAmount !== null && { minAmount }) }
  const { body } = await service.http.get(`${base}/intents`).query(query).set(callers[by].read()).expect(200)
  const references = made.map(({ referenceNumber }) => referenceNumber)
  const items = body.data.items.map((item: Shown & { referenceNumber: string }) => ({
    at: references.indexOf(item.referenceNumber),
    seen: seenIn(item),
  }))
  return { ...body.data, items }
}

export async function pay({ service, made }: Stage, to: number, wallet: WalletName): Promise<string> {
  const response = await fill(await open(service, `/p/${made[to]?.shortCode}`), wallets[wallet])
  const page = response.location === null ? response : await follow(response)
  return page.says.includes('Payment successful') ? 'paid' : 'not paid'
}

export async function work({ service, businesses, made }: Stage): Promise<void> {
  const both = [...made, ...made].map(({ referenceNumber }) => expireIntent(service.deps, referenceNumber))
  await Promise.all(both)
  for (const business of businesses) await relay(service, business)
}

/** In delivery order. Concurrent changes draw their ids before either is written. */
export async function relayedEvents({ service, businesses, made }: Stage): Promise<unknown[][]> {
  const businessId = { $in: businesses.map((business) => business.businessId) }
  const deliveries = await service.deps.Delivery.find({ businessId }).sort({ $natural: 1 }).lean<Delivery[]>()
  const bodies = await storedBodies(service, deliveries)
  return made.map(({ referenceNumber }) =>
    bodies
      .filter(({ data }) => data.reference_number === referenceNumber)
      .map(({ event, data }) => [event, data.status, data.amount]),
  )
}
