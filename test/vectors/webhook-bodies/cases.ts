import type { EventName } from '../../../schemas/events.ts'
import type { BodySource } from '../../../src/webhooks/body/compose.ts'
import type { Facts } from '../../../src/webhooks/body/facts.ts'

/** The stored fields of one delivery and of its intent or order. The file with this name contains the exact body. */
export interface BodyCase {
  name: string
  event: EventName
  facts: Facts
  source: BodySource
  sandbox?: boolean
}

/** The head of every body, except the event. */
export const _id = 'lq3L-QAAAAAAAAABZpX4iAAAAAAAAAAC'
export const eventAt = new Date('2026-11-23T08:01:02.003Z')

const pairs = (metadata: [key: string, value: string][]) => ({
  referenceNumber: 'PI-23456789ABCDEFGH',
  shortCode: 'X7K2QP',
  metadata: metadata.map(([key, value]) => ({ key, value })),
})
const plain = pairs([['order', '1042']])
const anyKeys = pairs([
  ['a.b', '1'],
  ['$x', '2'],
  ['__proto__', '3'],
  ['constructor', ''],
  ['10', 'a key that looks like an index comes first'],
  ['2', 'and in the order of numbers'],
  [' é💰', 'Épicerie « du marché » نواكشوط'],
  ['quotes', '"\\/\b\f\n\r\t\u0007\u007f\u2028\u2029</script>'],
])

const commission = { providerTtc: 1000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1260 }
const amount = 50_000
const paid = { amount, paidAt: new Date('2026-11-23T08:00:59.999Z'), payerPhone: '22******45', commission }
const refunded = { ...paid, status: 'REFUNDED' }
const refund = { id: 'RF-23456789ABCDEFGH', amount: 20_000 }

const line = {
  productId: '6560a1b2c3d4e5f601234567',
  variantId: '6560a1b2c3d4e5f601234568',
  name: 'Thé vert « 8147 »',
  variantLabel: 'Default',
  sku: 'THE-8147',
  unitPrice: 12_500,
  quantity: 3,
  total: 37_500,
}
const order = {
  _id: '6560a1b2c3d4e5f601234569',
  number: 'OR-23456789ABCDEFGH',
  items: [line],
  total: 37_500,
  customer: null,
  createdAt: eventAt,
}
const placed = { status: 'PLACED' }
const lines = [line, { ...line, sku: null, unitPrice: 0, quantity: 1, total: 0 }]

/** Every event of format 1, in each of its shapes. */
export const format1: readonly BodyCase[] = [
  { name: 'created', event: 'payment.created', facts: { status: 'PENDING', amount }, source: plain },
  { name: 'created-open', event: 'payment.created', facts: { status: 'PENDING' }, source: plain },
  {
    name: 'created-live',
    event: 'payment.created',
    facts: { status: 'PENDING', amount: 1_000_000_000_000 },
    source: plain,
    sandbox: false,
  },
  {
    name: 'created-any-metadata',
    event: 'payment.created',
    facts: { status: 'PENDING', amount },
    source: anyKeys,
  },
  {
    name: 'created-no-metadata',
    event: 'payment.created',
    facts: { status: 'PENDING', amount: 1 },
    source: pairs([]),
  },
  { name: 'confirmed', event: 'payment.confirmed', facts: { status: 'PAID', ...paid }, source: plain },
  {
    name: 'confirmed-no-commission',
    event: 'payment.confirmed',
    facts: { status: 'PAID', amount, paidAt: paid.paidAt, payerPhone: paid.payerPhone },
    source: plain,
  },
  { name: 'cancelled', event: 'payment.cancelled', facts: { status: 'CANCELLED', amount }, source: plain },
  { name: 'cancelled-open', event: 'payment.cancelled', facts: { status: 'CANCELLED' }, source: plain },
  { name: 'expired', event: 'payment.expired', facts: { status: 'CANCELLED', amount }, source: plain },
  {
    name: 'failed-retryable',
    event: 'payment.failed',
    facts: { status: 'PENDING', amount, failure: { code: 'insufficient_funds', retryable: true } },
    source: plain,
  },
  {
    name: 'failed-open',
    event: 'payment.failed',
    facts: { status: 'PENDING', failure: { code: 'limit_exceeded', retryable: true } },
    source: plain,
  },
  {
    name: 'failed-for-good',
    event: 'payment.failed',
    facts: { status: 'FAILED', amount, failure: { code: 'technical_error', retryable: false } },
    source: plain,
  },
  { name: 'refunded', event: 'payment.refunded', facts: { ...refunded, refund }, source: plain },
  {
    name: 'refunded-with-reason',
    event: 'payment.refunded',
    facts: { ...refunded, refund: { ...refund, reason: 'Colis « abîmé »\n"💔"' } },
    source: plain,
  },
  { name: 'order', event: 'order.new', facts: placed, source: order },
  {
    name: 'order-with-customer',
    event: 'order.new',
    facts: placed,
    source: {
      ...order,
      items: lines,
      customer: { name: 'Aïcha "A" 💰', phone: '22212345678', email: 'a@example.com' },
    },
  },
  {
    name: 'order-with-unknown-customer',
    event: 'order.new',
    facts: placed,
    source: { ...order, customer: { name: null, phone: null, email: 'a@example.com' } },
  },
]
