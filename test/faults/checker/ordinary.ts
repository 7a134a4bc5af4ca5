/* oxlint-disable unicorn/no-useless-spread -- groups of fields stand on one line */
import { createHmac } from 'node:crypto'
import type {
  DeliveryDocument,
  Documents,
  EventDocument,
  IntentDocument,
  LedgerDocument,
} from '../../invariants/documents.ts'
import { noEntries, stateAfter } from '../../invariants/ledger-chain.ts'
import { type Arrival, type Call, deliveryIn, type What } from '../evidence/evidence.ts'
import type { Evidence, Line } from './read-folder.ts'

const began = Date.parse('2026-11-21T12:00:00.000Z')
/** Seconds after the beginning, on both clocks. */
export const at = (seconds: number): number => began + Math.round(seconds * 1000)
export const iso = (seconds: number): string => new Date(at(seconds)).toISOString()
/** 24 hexadecimal digits from a name. */
export const idOf = (name: string): string => Buffer.from(name.padEnd(12, '.').slice(0, 12)).toString('hex')
export const shop = { id: idOf('shop'), key: idOf('key-shop'), marker: 'shop-in-test' }
export const other = { id: idOf('other'), key: idOf('key-other'), marker: 'other-in-test' }
export const endpointId = idOf('endpoint')
const hook = 'http://127.0.0.1:9999/hook/1'
const secret = 'a'.repeat(64)
const path = '/api/v1/dev'
const events = ['created', 'confirmed', 'cancelled', 'expired', 'refunded'].map((event) => `payment.${event}`)

/** A round without violations, and the parts of it that tests change. */
export interface Ordinary extends Evidence {
  lines: Line[]
  paid: IntentDocument
  cancelled: IntentDocument
  expired: IntentDocument
  byWallet: IntentDocument
}

export function ordinary(): Ordinary {
  const lines: Line[] = []
  const round: Evidence = { ...empty(), texts: () => lines }
  const endpoint = { businessId: shop.id, sandbox: true, url: hook, events, active: true }
  const created = { ...endpoint, id: endpointId, secret }
  const [createdAt, updatedAt] = [at(-40), at(-40)]
  post(round, -40, 'endpoint.create', '/webhooks/endpoints', created, { status: 201 })
  round.dump.webhookendpoints.push({
    ...{ ...endpoint, _id: endpointId, deletedAt: null, createdAt, updatedAt, outbox: [] },
  })

  const paid = create(round, 'PAID', 1)
  deliver(round, paid, 'payment.created', 1)
  Object.assign(paid, {
    status: 'PAID',
    cancelsAt: null,
    payment: paymentBy('simulation', idOf('simulation'), 5),
  })
  write(round, paid, 'simulate', 'simulate-payment', 5, {})
  deliver(round, paid, 'payment.confirmed', 5)
  const returnedFees = { providerTtc: 4, payerTtc: 2 }
  const refund = { id: 'RF-AAAAAAAAAAAAAAAA', amount: 200, returnedFees, status: 'SUCCEEDED' }
  const times = { createdAt: at(8), refundedAt: at(8), validUntil: at(14) }
  paid.refunds.push({ ...refund, reason: null, ...times })
  const feesReturned = { ...returnedFees }
  Object.assign(paid, { status: 'REFUNDED', refundsCommitted: 200, feesReturned, updatedAt: at(8) })
  write(round, paid, 'refund', 'refund', 8, { refund })
  deliver(round, paid, 'payment.refunded', 8, { id: refund.id, amount: 200, returnedFees })

  const cancelled = create(round, 'CANCELLED', 2)
  deliver(round, cancelled, 'payment.created', 2)
  const cancellationReason = 'requested_by_merchant'
  Object.assign(cancelled, { status: 'CANCELLED', cancelsAt: 0, cancellationReason, updatedAt: at(6) })
  write(round, cancelled, 'cancel', 'cancel', 6, {})
  deliver(round, cancelled, 'payment.cancelled', 6)

  const expired = create(round, 'EXPIRED', 3)
  deliver(round, expired, 'payment.created', 3)
  Object.assign(expired, {
    status: 'CANCELLED',
    cancelsAt: 0,
    cancellationReason: 'expired',
    updatedAt: at(33),
  })
  deliver(round, expired, 'payment.expired', 33)

  const byWallet = create(round, 'WALLET', 4)
  deliver(round, byWallet, 'payment.created', 4)
  const paymentId = idOf('payment')
  call(round, 9, {
    ...customer,
    what: 'pay.confirm',
    path: `/p/${byWallet.shortCode}`,
    body: { form: `${paymentId}.time.signature`, phone: '22 99 99 99', pin: '918273' },
    status: 303,
    response: { text: '', state: null, location: `/p/${byWallet.shortCode}` },
  })
  Object.assign(byWallet, {
    status: 'PAID',
    cancelsAt: null,
    payment: paymentBy('sandbox', paymentId, 9),
    updatedAt: at(9),
  })
  const movement = { kind: 'payment', amount: 500, fee: 5, result: { outcome: 'done' } } as const
  round.dump.walletmovements.push({ _id: paymentId, accountId: '22999999', ...movement })
  deliver(round, byWallet, 'payment.confirmed', 9)

  sell(round)
  replay(round)
  support(round)
  const intents = [paid, cancelled, expired, byWallet]
  for (const intent of intents) read(round, intent, 210, 'auditor')
  const page = { items: intents.toReversed().map(shown), page: 1, total: 4, hasMore: false }
  post(round, 211, 'list', '/intents', page, { actor: 'auditor', method: 'GET', idempotencyKey: null })
  return Object.assign(round, { lines, paid, cancelled, expired, byWallet })
}

const settings = {
  ...{ intentLifetimeSeconds: 30, codeLifetimeSeconds: 20, webhookTimeoutSeconds: 2 },
  sandboxRetentionDays: 30,
  retrySeconds: [1, 1, 1, 1, 1, 1, 1],
}
const owned = { businessId: shop.id, sandbox: true }
const stocked = { product: idOf('product'), variant: idOf('variant'), quantity: 10 }
const businesses = [shop, other].map(({ id, key, marker }) => {
  const apiKey = `sk_test_${key.padEnd(38, '0')}`
  const secretKey = { id: key, mode: 'test', kind: 'secret', secret: apiKey } as const
  return { id, name: id, markers: { test: marker, live: `${marker}-live` }, keys: [secretKey] }
})

const empty = (): Omit<Evidence, 'texts'> => ({
  setting: structuredClone({
    ...{ seed: 1, beganAt: at(0), healedAt: at(100), quietAt: at(200), clientTimeoutMs: 12_000 },
    ...{ left: [], brokenOff: [], settings, businesses, providerWallets: [] },
    wallets: [{ phone: '22999999', pin: '918273', balance: 1000 }],
    staff: [{ name: 'aicha', role: 'support' as const, password: 'a-password-of-hers' }],
    stock: [{ business: shop.id, sandbox: true, ...stocked }],
  }),
  ...{ calls: [], arrivals: [], provider: [], faults: [], ends: [] },
  dump: {
    ...{
      intents: [],
      deliveries: [],
      events: [],
      webhookendpoints: [],
      walletmovements: [],
      products: [],
      orders: [],
    },
    ...{ auditevents: [], webhookreplays: [], ledgerentries: [] },
    wallets: [{ _id: '22999999', phone: '22999999', businessId: null, balance: 495 }],
  },
})

type Given = Partial<Call> & Pick<Call, 'what' | 'path'>
/** Adds a call with the shop's key that took a tenth of a second. */
export function call(round: Evidence, seconds: number, given: Given): Call {
  const number = round.calls.length + 1
  const made: Call = {
    ...{ call: number, operation: number, attempt: 1, timeoutMs: 12_000, origin: 'http://127.0.0.1:1' },
    ...{ began: at(seconds), ended: at(seconds + 0.1), clockAheadMs: [0, 0] },
    ...{ actor: 'merchant', business: shop.id, keyId: shop.key, sandbox: true, method: 'POST' },
    ...{ idempotencyKey: null, body: null, expects: [], status: 200, response: null },
    ...given,
    headers: { 'x-request-id': `request-${number}`, ...given.headers },
  }
  round.calls.push(made)
  return made
}

/** A write of the API. */
function post(to: Evidence, seconds: number, what: What, url: string, data: object, given?: Partial<Call>) {
  const written = { what, path: path + url, idempotencyKey: `${what}-1`, response: good(data) }
  return call(to, seconds, { ...written, ...given })
}

export const good = (data: unknown) => ({ success: true, data })
export const refusal = (code: string, statusCode: number) => ({
  status: statusCode,
  response: { success: false, error: { code, statusCode, message: '' } },
})
const customer = { actor: 'customer', business: null, keyId: null, sandbox: null } as const
export const staff = { ...customer, actor: 'support' } as const

export function create(round: Evidence, name: string, seconds: number): IntentDocument {
  const number = round.dump.intents.length
  const intent: IntentDocument = {
    ...owned,
    _id: idOf(name),
    referenceNumber: `PI-${name.padEnd(16, 'X')}`,
    merchantReference: name,
    shortCode: `ABCDE${number + 2}`,
    code: String(100_000 + number),
    ...{ amountType: 'FIXED', amount: 500, metadata: [], status: 'PENDING', cancellationReason: null },
    ...{ payment: null, hold: null, failure: null, attempts: [], refunds: [], refundsCommitted: 0 },
    feesReturned: { providerTtc: 0, payerTtc: 0 },
    cancelsAt: at(seconds + 30),
    outbox: [],
    ...{ codeExpiresAt: at(seconds + 20), codeReusableAt: at(seconds + 920), expiresAt: at(seconds + 30) },
    ...{ createdAt: at(seconds), updatedAt: at(seconds) },
  }
  round.dump.intents.push(intent)
  const body = { amount: 500, label: shop.marker, merchantReference: name }
  const given = { idempotencyKey: name, body, status: 201 }
  post(round, seconds - 0.05, 'create', '/intents', shown(intent), given)
  return intent
}

const commission = () => ({ providerTtc: 10, payerTtc: 5 })
const payerPhone = '22 ** ** 99'
const paymentBy = (wallet: string, key: string, seconds: number) => {
  return { amountPaid: 500, paidAt: at(seconds), payerPhone, wallet, key, commission: commission() }
}

/** An intent in a response. */
export const shown = ({ code, status, payment, ...intent }: IntentDocument) => ({
  ...{ referenceNumber: intent.referenceNumber, shortCode: intent.shortCode, sandbox: intent.sandbox },
  ...{ code: status === 'PENDING' ? code : null, amount: intent.amount, status },
  expiresAt: new Date(intent.expiresAt).toISOString(),
  createdAt: new Date(intent.createdAt).toISOString(),
  payment: payment && { amountPaid: payment.amountPaid, paidAt: new Date(payment.paidAt).toISOString() },
  refunds: intent.refunds.map((refund) => ({ id: refund.id, amount: refund.amount, status: refund.status })),
  totalAmountRefunded: intent.refundsCommitted,
  ...(intent.cancellationReason === null ? {} : { cancellationReason: intent.cancellationReason }),
})

export const read = (to: Evidence, intent: IntentDocument, seconds: number, by?: Call['actor']) =>
  call(to, seconds, {
    ...{ what: 'read', actor: by ?? 'merchant', method: 'GET' },
    path: `${path}/intents/${intent.referenceNumber}`,
    response: good(shown(intent)),
  })

function write(to: Evidence, intent: IntentDocument, what: What, verb: string, seconds: number, more = {}) {
  const address = `/intents/${intent.referenceNumber}/${verb}`
  return post(to, seconds - 0.05, what, address, { ...shown(intent), ...more })
}

/** Adds an event of the intent. The endpoint refuses the first attempt and accepts the second. */
function deliver(
  round: Evidence,
  { referenceNumber, merchantReference, status, payment }: IntentDocument,
  event: string,
  seconds: number,
  refund?: DeliveryDocument['facts']['refund'],
): void {
  const eventId = idOf(`event-${round.dump.deliveries.length}`)
  const _id = Buffer.from(eventId + endpointId, 'hex').toString('base64url')
  const paid = payment && { paidAt: payment.paidAt, payerPhone, commission: commission() }
  const facts = { status, amount: 500, ...paid, ...(refund && { refund }) }
  const money = { amount: 500, commission: { provider_ttc: facts.commission?.providerTtc ?? 0 } }
  const returned = refund && { ...refund, returned_fees: { provider_ttc: refund.returnedFees.providerTtc } }
  const data = { reference_number: referenceNumber, status, ...money, refund: returned }
  const body = JSON.stringify({ id: _id, event, sandbox: true, data })
  const attempts = [
    { at: at(seconds + 0.1), durationMs: 20, status: 500 },
    { at: at(seconds + 1.2), durationMs: 20, status: 200 },
  ]
  round.dump.deliveries.push({
    ...{ ...owned, _id, eventId, endpointId, event, referenceNumber },
    facts,
    ...{ status: 'DELIVERED', attempts: 2, requeues: 0, nextAttemptAt: null, leaseToken: null },
    ...{ attemptLog: attempts, createdAt: at(seconds + 0.05), deliveredAt: at(seconds + 1.22) },
    deadAt: null,
  } satisfies DeliveryDocument)
  for (const attempt of attempts) arrive(round, attempt.at, event, body, { did: attempt.status })
  logEvent(round, eventId, { event, referenceNumber, facts, createdAt: at(seconds) })
  const of = { referenceNumber, merchantReference, occurredAt: at(seconds) }
  if (event === 'payment.confirmed') {
    book(round, eventId, 'payment', 500, { ...of, payerPhone, commission: commission() })
    book(round, `${eventId}-fee`, 'fee', -10, of)
  }
  if (refund === undefined) return
  const { id: refundId, amount, returnedFees } = refund
  const more = { payerPhone, returnedFees, reason: null, startedAt: at(seconds) }
  book(round, eventId, 'refund', -amount, { ...of, refundId, ...more })
  book(round, `${eventId}-fee`, 'fee', returnedFees.providerTtc, { ...of, refundId })
}

const eventIdIn = (body: string): string => Buffer.from(deliveryIn(body), 'base64url').toString('hex', 0, 12)

/** Adds an event to the log of the shop, which two readers follow. */
export function logEvent(
  round: Evidence,
  _id: string,
  given: Pick<EventDocument, 'event' | 'referenceNumber' | 'facts' | 'createdAt'>,
): void {
  const number = round.dump.events.length + 1
  round.dump.events.push({ ...owned, _id, number, loggedAt: given.createdAt + 20, ...given })
  const { event: type, createdAt } = given
  const items = [{ id: _id, type, createdAt: new Date(createdAt).toISOString(), body: { id: _id, event: type } }]
  for (const [operation, start] of [
    [-1, ''],
    [-2, '&after=latest'],
  ] as const) {
    const reading = { what: 'event.feed', operation, path: `${path}/events/feed?limit=9${start}` } as const
    call(round, 150 + number, {
      ...reading,
      method: 'GET',
      response: good({ items, next: String(number), hasMore: false }),
    })
  }
}

/** Adds an entry to the ledger of the shop. */
export function book(
  { dump }: Evidence,
  _id: string,
  type: 'payment' | 'refund' | 'fee',
  amount: number,
  given: Partial<LedgerDocument>,
): void {
  const after = stateAfter(dump.ledgerentries.at(-1)?.after ?? noEntries(), type, amount)
  const positions = { position: after.entries, typePosition: after.byType[type] }
  const number = dump.ledgerentries.length + 1
  const time = { bookedAt: at(20), day: iso(0).slice(0, 10) }
  dump.ledgerentries.push({ ...owned, ...time, _id, number, type, amount, ...positions, after, ...given })
}

/** A webhook that was signed at `when` arrives. */
export function arrive(to: Evidence, when: number, event: string, body: string, given?: Partial<Arrival>) {
  const timestamp = String(Math.floor(when / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const signed = { 'x-service-timestamp': timestamp, 'x-service-signature': `sha256=${signature}` }
  const arrival: Arrival = {
    ...{ at: when + 5, clockAheadMs: 0, path: '/hook/1', did: 200, begun: null, done: when + 10 },
    body,
    headers: { 'x-service-event': event, 'x-service-event-id': eventIdIn(body), ...signed },
    ...given,
  }
  to.arrivals.push(arrival)
  return arrival
}

/** Adds 5 units to 10 and sells 3. Imports another product. */
function sell(round: Evidence): void {
  const variants = [{ _id: idOf('variant'), label: 'Default', price: 7, stock: 12 }]
  const product = {
    ...{ ...owned, _id: idOf('product'), name: shop.marker, handle: idOf('product'), variants },
    ...{ deletedAt: null, createdAt: at(-5) },
  }
  const imported = [{ _id: idOf('imported-v'), label: 'Default', price: 4, stock: 9 }]
  round.dump.products.push(product, { ...product, _id: idOf('imported'), handle: 'tea', variants: imported })
  const isOf = { _id: product._id }
  post(round, -5, 'product.create', '/store/products', isOf, { status: 201 })
  const change = { method: 'PATCH', body: { delta: 5 } }
  post(round, 10, 'stock', `/store/products/${product._id}/variants/Default/stock`, { stock: 15 }, change)
  const body = 'handle,name,variant_label,sku,price,stock\ntea,Tea,,,4,9'
  post(round, 10, 'import', '/store/products/import-csv', {}, { body })
  const line = { productId: product._id, variantId: idOf('variant'), unitPrice: 7, quantity: 3, total: 21 }
  const number = 'OR-XXXXXXXXXXXXXXXX'
  const base = {
    ...owned,
    _id: idOf('order'),
    number,
    createdAt: at(11),
    outbox: [],
  }
  const order: Documents['orders'][number] = { ...base, items: [line], total: 21, status: 'PLACED' }
  const facts = { status: 'PLACED' } as const
  logEvent(round, idOf('event-order'), {
    event: 'order.new',
    referenceNumber: number,
    facts,
    createdAt: at(11),
  })
  round.dump.orders.push(order)
  const items = [{ productId: product._id, variantId: idOf('variant'), quantity: 3 }]
  const placed = structuredClone({ ...order, createdAt: iso(11) })
  post(round, 11, 'order', '/store/orders/simulate', placed, { status: 201, body: { items } })
}

/** Support signs in and re-queues a delivery. */
function support(round: Evidence): void {
  const actor = { kind: 'staff', name: 'aicha' }
  call(round, 12, {
    ...staff,
    what: 'support.sign-in',
    path: '/admin/sign-in',
    body: { name: 'aicha' },
    status: 303,
    headers: { 'set-cookie': 'session=1' },
    response: { text: '', state: null, location: '/admin' },
  })
  const delivery = round.dump.deliveries[0] as DeliveryDocument
  call(round, 1.9, {
    ...staff,
    what: 'requeue',
    path: `/admin/deliveries/${delivery._id}/requeue`,
    status: 303,
    response: { text: '', state: null, location: `/admin/deliveries/${delivery._id}?result=requeued` },
  })
  delivery.requeues = 1
  round.dump.auditevents.push(
    { _id: idOf('line-1'), at: at(12), actor, act: 'staff.signed-in', subject: 'aicha' },
    {
      _id: idOf('line-w'),
      at: at(0),
      actor,
      act: 'wallet.created',
      subject: payerPhone,
      after: { balance: 1000 },
    },
    { _id: idOf('line-2'), at: at(1.95), actor, act: 'delivery.requeued', subject: delivery._id },
  )
}

/** The merchant replays the undelivered deliveries of the first events, of which there are none. */
function replay(round: Evidence): void {
  const _id = idOf('replay')
  const address = `/webhooks/endpoints/${endpointId}/replay`
  post(round, 45, 'replay', address, { id: _id }, { status: 201 })
  const selection = { from: at(0), to: at(4), events: ['payment.created'], through: 9, onlyUndelivered: true }
  const counts = { total: 4, requeued: 0, created: 0, skipped: 4 }
  const done = {
    status: 'DONE',
    cancellationReason: null,
    nextRunAt: null,
    createdAt: at(45),
    finishedAt: at(46),
  } as const
  round.dump.webhookreplays.push({ ...owned, _id, endpointId, ...selection, ...counts, ...done })
  const actor = { kind: 'key', name: shop.key }
  const line = { at: at(45), actor, act: 'endpoint.replayed', subject: endpointId, after: { replayId: _id } }
  round.dump.auditevents.push({ _id: idOf('line-3'), ...line })
}
