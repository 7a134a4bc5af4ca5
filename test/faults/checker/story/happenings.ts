import { createHmac } from 'node:crypto'
import type { What } from '../../evidence/evidence.ts'
import type { DeliveryDocument, IntentDocument, Status } from '../documents.ts'
import { at, idOf, iso } from './clock.ts'
import { arrival, call, good, hook, type Story, shop } from './story.ts'

const intentsPath = '/api/v1/dev/intents'
const lifeSeconds = 30
const codeSeconds = 20
const restSeconds = 900
const events = [
  'payment.created',
  'payment.confirmed',
  'payment.cancelled',
  'payment.expired',
  'payment.refunded',
  'payment.failed',
]
export const secret = 'a'.repeat(64)
export const endpointId = idOf('endpoint')

/** The shop registers a receiver for everything. */
export function register(story: Story): void {
  const body = { url: hook, events }
  call(story, -5, {
    what: 'endpoint.create',
    path: '/api/v1/dev/webhooks/endpoints',
    idempotencyKey: 'endpoint-1',
    body,
    status: 201,
    answer: good({ id: endpointId, ...body, secret, active: true }),
  })
  story.dump.webhookendpoints.push({
    _id: endpointId,
    businessId: shop.id,
    url: hook,
    events,
    active: true,
    previousSecrets: [],
    deletedAt: null,
    createdAt: at(-5),
  })
}

/** The shop makes an intent; its event is not told by this. */
export function create(story: Story, name: string, seconds: number, amount = 500): IntentDocument {
  const number = story.dump.intents.length
  const intent: IntentDocument = {
    _id: idOf(name),
    businessId: shop.id,
    sandbox: true,
    referenceNumber: `PI-${name
      .toUpperCase()
      .replaceAll(/[^A-HJ-NP-Z2-9]/g, 'X')
      .padEnd(16, 'X')}`,
    shortCode: `ABCDE${number + 2}`,
    code: String(100_000 + number),
    codeKey: `test:${shop.id}:${100_000 + number}`,
    codeExpiresAt: at(seconds + codeSeconds),
    codeReusableAt: at(seconds + codeSeconds + restSeconds),
    amountType: 'FIXED',
    amount,
    label: shop.marker,
    metadata: [],
    status: 'PENDING',
    cancellationReason: null,
    payment: null,
    hold: null,
    failure: null,
    attempts: [],
    refunds: [],
    refundsCommitted: 0,
    expiresAt: at(seconds + lifeSeconds),
    createdAt: at(seconds),
    updatedAt: at(seconds),
    outbox: [],
  }
  story.dump.intents.push(intent)
  call(story, seconds - 0.05, {
    what: 'create',
    path: intentsPath,
    idempotencyKey: `create-${name}`,
    body: { amount, label: shop.marker },
    status: 201,
    answer: good(shown(intent)),
  })
  return intent
}

/** As the API shows it now. */
export const shown = (intent: IntentDocument) => ({
  referenceNumber: intent.referenceNumber,
  shortCode: intent.shortCode,
  code: intent.status === 'PENDING' ? intent.code : null,
  codeExpiresAt: new Date(intent.codeExpiresAt).toISOString(),
  payUrl: `https://pay.example/p/${intent.shortCode}`,
  amount: intent.amount,
  amountType: intent.amountType,
  currency: 'MRU',
  label: intent.label,
  status: intent.status,
  sandbox: intent.sandbox,
  metadata: {},
  expiresAt: new Date(intent.expiresAt).toISOString(),
  createdAt: new Date(intent.createdAt).toISOString(),
  payment:
    intent.payment === null
      ? null
      : { amountPaid: intent.payment.amountPaid, paidAt: new Date(intent.payment.paidAt).toISOString() },
  refunds: intent.refunds.map(({ createdAt, validUntil: _until, ...refunded }) => ({
    ...refunded,
    currency: 'MRU',
    createdAt: new Date(createdAt).toISOString(),
  })),
  totalAmountRefunded: intent.refunds.reduce((sum, { amount }) => sum + amount, 0),
  updatedAt: new Date(intent.updatedAt).toISOString(),
  ...(intent.cancellationReason === null ? {} : { cancellationReason: intent.cancellationReason }),
})

/** Somebody reads it. */
export const read = (story: Story, intent: IntentDocument, seconds: number, actor = 'merchant') =>
  call(story, seconds, {
    what: 'read',
    actor,
    method: 'GET',
    path: `${intentsPath}/${intent.referenceNumber}`,
    answer: good(shown(intent)),
  })

const ends = (intent: IntentDocument, status: Status, seconds: number): void => {
  Object.assign(intent, { status, updatedAt: at(seconds) })
  intent.codeReusableAt = Math.min(intent.codeReusableAt, at(seconds + restSeconds))
}

/** The shop has it paid by a simulation. Of 500 the commission is as it stands here. */
export function simulate(story: Story, intent: IntentDocument, seconds: number): void {
  ends(intent, 'PAID', seconds)
  intent.payment = {
    amountPaid: 500,
    paidAt: at(seconds),
    payerPhone: '22******01',
    commission: { providerTtc: 10, payerTtc: 5, tof: 2, tte: 1, totalRevenue: 12 },
    wallet: 'simulation',
    key: idOf('simulation'),
  }
  write(story, intent, 'simulate', 'simulate-payment', seconds, good(shown(intent)))
}

export function cancel(story: Story, intent: IntentDocument, seconds: number): void {
  ends(intent, 'CANCELLED', seconds)
  intent.cancellationReason = 'requested_by_merchant'
  write(story, intent, 'cancel', 'cancel', seconds, good(shown(intent)))
}

export function expire(intent: IntentDocument): void {
  ends(intent, 'CANCELLED', (intent.expiresAt - at(0)) / 1000)
  intent.cancellationReason = 'expired'
}

export function refund(story: Story, intent: IntentDocument, seconds: number, amount: number): void {
  const id = `RF-${'ABCDEFGH'[intent.refunds.length]}`.padEnd(19, 'X')
  const made = { id, amount, reason: null, status: 'SUCCEEDED', createdAt: at(seconds) }
  intent.refunds.push({ ...made, validUntil: at(seconds + 6) })
  intent.refundsCommitted += amount
  intent.status = 'REFUNDED'
  intent.updatedAt = at(seconds)
  write(story, intent, 'refund', 'refund', seconds, good({ ...shown(intent), refund: made }))
}

const write = (
  story: Story,
  intent: IntentDocument,
  what: What,
  verb: string,
  seconds: number,
  answer: unknown,
) =>
  call(story, seconds - 0.05, {
    what,
    path: `${intentsPath}/${intent.referenceNumber}/${verb}`,
    idempotencyKey: `${what}-${intent.referenceNumber}-${seconds}`,
    answer,
  })

/** An event of the intent as it is now: it comes to the receiver at the second try, the first is answered 500. */
export function tell(story: Story, intent: IntentDocument, event: string, seconds: number): DeliveryDocument {
  const number = story.dump.deliveries.length
  const eventId = idOf(`event-${number}`)
  const _id = Buffer.from(eventId + endpointId, 'hex').toString('base64url')
  const { payment } = intent
  const isPaid = ['payment.confirmed', 'payment.refunded'].includes(event)
  const last = intent.refunds.at(-1)
  const data = {
    reference_number: intent.referenceNumber,
    short_code: intent.shortCode,
    amount: 500,
    currency: 'MRU',
    status: intent.status,
    paid_at: isPaid && payment ? new Date(payment.paidAt).toISOString() : null,
    payer_phone: isPaid && payment ? payment.payerPhone : null,
    metadata: {},
    commission: isPaid
      ? { provider_ttc: 10, payer_ttc: 5, tof: 2, tte: 1, total_revenue: 12 }
      : { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 },
    ...(event === 'payment.refunded' && last
      ? { refund: { id: last.id, amount: last.amount, reason: null } }
      : {}),
  }
  const facts = {
    status: intent.status,
    amount: 500,
    ...(isPaid && payment
      ? { paidAt: payment.paidAt, payerPhone: payment.payerPhone, commission: payment.commission }
      : {}),
    ...(event === 'payment.refunded' && last ? { refund: { id: last.id, amount: last.amount } } : {}),
  }
  const body = JSON.stringify({ id: _id, event, created_at: iso(seconds), sandbox: true, data })
  const tries = [
    { at: at(seconds + 0.1), status: 500 },
    { at: at(seconds + 1.2), status: 200 },
  ]
  const delivery: DeliveryDocument = {
    _id,
    eventId,
    endpointId,
    businessId: shop.id,
    sandbox: true,
    event,
    eventAt: at(seconds),
    referenceNumber: intent.referenceNumber,
    url: hook,
    facts,
    body,
    status: 'DELIVERED',
    attempts: 2,
    redrives: 0,
    nextAttemptAt: null,
    leaseToken: null,
    attemptLog: tries.map((each) => ({
      at: each.at,
      url: hook,
      durationMs: 20,
      status: each.status,
      stage: each.status === 200 ? null : 'status',
    })),
    createdAt: at(seconds + 0.05),
    deliveredAt: at(seconds + 1.22),
    unaudited: [],
  }
  story.dump.deliveries.push(delivery)
  for (const each of tries)
    arrival(story, { at: each.at + 5, body, did: each.status, headers: headersOf(event, each.at, body) })
  return delivery
}

/** As an attempt that began then has them; of the endpoint's secrets the newest comes first. */
export function headersOf(
  event: string,
  beganAt: number,
  body: string,
  secrets: readonly string[] = [secret],
): Record<string, string> {
  const timestamp = String(Math.floor(beganAt / 1000))
  const [signature = '', ...previous] = secrets.map(
    (each) => `sha256=${createHmac('sha256', each).update(`${timestamp}.${body}`).digest('hex')}`,
  )
  return {
    'content-type': 'application/json',
    'x-service-event': event,
    'x-service-timestamp': timestamp,
    'x-service-signature': signature,
    ...(previous.length === 0 ? {} : { 'x-service-signature-previous': previous.join(',') }),
  }
}
