/* oxlint-disable unicorn/no-useless-spread -- groups of fields stand on one line */
import { createHmac } from 'node:crypto'
import type { DeliveryDocument, IntentDocument } from '../../invariants/documents.ts'
import * as usual from '../../invariants/ordinary.ts'
import { type Arrival, type Call, deliveryIn, type Evidence, type What } from '../evidence/evidence.ts'

export const other = { id: usual.idOf('other'), key: usual.idOf('key-other'), marker: 'other-in-test' }
const secret = 'a'.repeat(64)
const path = '/api/v1/dev'
export type OrdinaryRound = Evidence & usual.Ordinary & { lines: { from: string; line: string }[] }

export function ordinaryRound(): OrdinaryRound {
  const lines: OrdinaryRound['lines'] = []
  const documents = usual.ordinaryDocuments()
  const { dump, paid, cancelled, byWallet } = documents
  const records = { calls: [], arrivals: [], provider: [], faults: [], ends: [] }
  const round: OrdinaryRound = { ...documents, ...records, lines, setting: setting(), texts: () => lines }
  const owner = { id: usual.endpointId, businessId: usual.shop.id, sandbox: true }
  const endpoint = { ...owner, url: usual.hook, events: usual.subscribed, secret }
  write(round, -40, 'endpoint.create', '/webhooks/endpoints', endpoint, { status: 201 })
  for (const intent of dump.intents) created(round, intent)
  act(round, paid, 'simulate', 'simulate-payment', 5)
  act(round, paid, 'refund', 'refund', 8, { refund: paid.refunds[0] })
  act(round, cancelled, 'cancel', 'cancel', 6)
  const form = { form: `${byWallet.payment?.key}.time.signature`, phone: '22 99 99 99', pin: '918273' }
  const payPage = `/p/${byWallet.shortCode}`
  submit(round, 9, { ...customer, what: 'pay.confirm', path: payPage, body: form }, payPage)
  sell(round)
  const replayUrl = `/webhooks/endpoints/${usual.endpointId}/replay`
  write(round, 45, 'replay', replayUrl, { id: usual.idOf('replay') }, { status: 201 })
  const signIn = { what: 'support.sign-in', path: '/admin/sign-in', body: { name: 'aicha' } } as const
  submit(round, 12, { ...staff, ...signIn, headers: { 'set-cookie': 'session=1' } }, '/admin')
  const page = `/admin/deliveries/${dump.deliveries[0]?._id}`
  submit(round, 1.9, { ...staff, what: 'requeue', path: `${page}/requeue` }, `${page}?result=requeued`)
  for (const delivery of dump.deliveries)
    for (const attempt of delivery.attemptLog)
      arrive(round, attempt.at, delivery.event, bodyOf(delivery), { did: attempt.status ?? 200 })
  follow(round)
  for (const intent of dump.intents) read(round, intent, 210, 'auditor')
  const list = { items: dump.intents.toReversed().map(shown), page: 1, total: 4, hasMore: false }
  write(round, 211, 'list', '/intents', list, { actor: 'auditor', method: 'GET', idempotencyKey: null })
  return round
}

function setting(): Evidence['setting'] {
  const businesses = [usual.shop, other].map(({ id, key, marker }) => {
    const text = `sk_test_${key.padEnd(38, '0')}`
    const secretKey = { id: key, mode: 'test', kind: 'secret', secret: text } as const
    return { id, name: id, markers: { test: marker, live: `${marker}-live` }, keys: [secretKey] }
  })
  const seconds = { intentLifetimeSeconds: 30, codeLifetimeSeconds: 20, webhookTimeoutSeconds: 2 }
  const product = { product: usual.idOf('product'), variant: usual.idOf('variant') }
  return {
    ...{ seed: 1, beganAt: usual.at(0), healedAt: usual.at(100), quietAt: usual.at(200) },
    settings: { ...seconds, sandboxRetentionDays: 30, retrySeconds: [1, 1, 1, 1, 1, 1, 1] },
    ...{ left: [], brokenOff: [], businesses, providerWallets: [], clientTimeoutMs: 12_000 },
    wallets: [{ phone: '22999999', pin: '918273', balance: 1000 }],
    staff: [{ name: 'aicha', role: 'support', password: 'a-password-of-hers' }],
    stock: [{ ...product, business: usual.shop.id, sandbox: true, quantity: 10 }],
  }
}

type Given = Partial<Call> & Pick<Call, 'what' | 'path'>

export function call(round: Evidence, seconds: number, given: Given): Call {
  const number = round.calls.length + 1
  const made: Call = {
    ...{ call: number, operation: number, attempt: 1, timeoutMs: 12_000, origin: 'http://127.0.0.1:1' },
    ...{ began: usual.at(seconds), ended: usual.at(seconds + 0.1), clockAheadMs: [0, 0] },
    ...{ actor: 'merchant', business: usual.shop.id, keyId: usual.shop.key, sandbox: true, method: 'POST' },
    ...{ idempotencyKey: null, body: null, expects: [], status: 200, response: null },
    ...given,
    headers: { 'x-request-id': `request-${number}`, ...given.headers },
  }
  round.calls.push(made)
  return made
}

export const good = (data: unknown) => ({ success: true, data })
export const refusal = (code: string, statusCode: number) => ({
  status: statusCode,
  response: { success: false, error: { code, statusCode, message: '' } },
})
const customer = { actor: 'customer', business: null, keyId: null, sandbox: null } as const
export const staff = { ...customer, actor: 'support' } as const
const write = (to: Evidence, seconds: number, what: What, url: string, data: object, given?: Partial<Call>) =>
  call(to, seconds, { what, path: path + url, idempotencyKey: `${what}-1`, response: good(data), ...given })
const submit = (to: Evidence, seconds: number, given: Given, location: string): Call =>
  call(to, seconds, { ...given, status: 303, response: { text: '', state: null, location } })

export function create(round: Evidence, name: string, seconds: number): IntentDocument {
  const intent = usual.addIntent(round.dump, name, seconds)
  created(round, intent)
  return intent
}

function created(round: Evidence, intent: IntentDocument): void {
  const { merchantReference: name, createdAt } = intent
  const body = { amount: 500, label: usual.shop.marker, merchantReference: name }
  const unpaid = { status: 'PENDING', payment: null, refundsCommitted: 0, cancellationReason: null } as const
  const first = shown({ ...intent, ...unpaid, refunds: [] })
  const seconds = (createdAt - usual.at(0)) / 1000 - 0.05
  write(round, seconds, 'create', '/intents', first, { idempotencyKey: name, body, status: 201 })
}

const act = (to: Evidence, intent: IntentDocument, what: What, verb: string, seconds: number, more = {}) =>
  write(to, seconds - 0.05, what, `/intents/${intent.referenceNumber}/${verb}`, { ...shown(intent), ...more })

export const shown = ({ code, status, payment, ...intent }: IntentDocument) => ({
  ...{ referenceNumber: intent.referenceNumber, shortCode: intent.shortCode, sandbox: intent.sandbox },
  ...{ code: status === 'PENDING' ? code : null, amount: intent.amount, status },
  expiresAt: new Date(intent.expiresAt).toISOString(),
  createdAt: new Date(intent.createdAt).toISOString(),
  payment: payment && { amountPaid: payment.amountPaid, paidAt: new Date(payment.paidAt).toISOString() },
  refunds: intent.refunds.map(({ id, amount, status: its }) => ({ id, amount, status: its })),
  totalAmountRefunded: intent.refundsCommitted,
  ...(intent.cancellationReason !== null && { cancellationReason: intent.cancellationReason }),
})

export const read = (to: Evidence, intent: IntentDocument, seconds: number, by?: Call['actor']): Call =>
  call(to, seconds, {
    ...{ what: 'read', actor: by ?? 'merchant', method: 'GET' },
    path: `${path}/intents/${intent.referenceNumber}`,
    response: good(shown(intent)),
  })

function bodyOf({ _id, event, referenceNumber, facts }: DeliveryDocument): string {
  const { status, commission, refund } = facts
  const returned = refund && { ...refund, returned_fees: { provider_ttc: refund.returnedFees.providerTtc } }
  const money = { amount: 500, commission: { provider_ttc: commission?.providerTtc ?? 0 } }
  const data = { reference_number: referenceNumber, status, ...money, refund: returned }
  return JSON.stringify({ id: _id, event, sandbox: true, data })
}

export function arrive(to: Evidence, when: number, event: string, body: string, given?: Partial<Arrival>) {
  const timestamp = String(Math.floor(when / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const signed = { 'x-service-timestamp': timestamp, 'x-service-signature': `sha256=${signature}` }
  const eventId = Buffer.from(deliveryIn(body), 'base64url').toString('hex', 0, 12)
  to.arrivals.push({
    ...{ at: when + 5, clockAheadMs: 0, path: '/hook/1', did: 200, begun: null, done: when + 10, body },
    headers: { 'x-service-event': event, 'x-service-event-id': eventId, ...signed },
    ...given,
  })
}

export function follow(round: Evidence, from = 1): void {
  for (const { _id, number, event: type, createdAt } of round.dump.events.slice(from - 1)) {
    const body = { id: _id, event: type }
    const item = { id: _id, type, createdAt: new Date(createdAt).toISOString(), body }
    const response = good({ items: [item], next: String(number), hasMore: false })
    const feed = { what: 'event.feed', method: 'GET', response } as const
    call(round, 150 + number, { ...feed, operation: -1, path: `${path}/events/feed?limit=9` })
    call(round, 150 + number, { ...feed, operation: -2, path: `${path}/events/feed?limit=9&after=latest` })
  }
}

function sell(round: Evidence): void {
  const [product, order] = [usual.idOf('product'), round.dump.orders[0]]
  write(round, -5, 'product.create', '/store/products', { _id: product }, { status: 201 })
  const address = `/store/products/${product}/variants/Default/stock`
  write(round, 10, 'stock', address, { stock: 15 }, { method: 'PATCH', body: { delta: 5 } })
  const body = 'handle,name,variant_label,sku,price,stock\ntea,Tea,,,4,9'
  write(round, 10, 'import', '/store/products/import-csv', {}, { body })
  const items = [{ productId: product, variantId: usual.idOf('variant'), quantity: 3 }]
  const placed = structuredClone({ ...order, createdAt: usual.iso(11) })
  write(round, 11, 'order', '/store/orders/simulate', placed, { status: 201, body: { items } })
}
