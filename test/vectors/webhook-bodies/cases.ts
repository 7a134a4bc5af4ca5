import type { EventName } from '../../../schemas/events.ts'
import type { EventFacts } from '../../../src/outbox/event.ts'
import type { BodySource } from '../../../src/webhooks/message.ts'

/** One delivery's stored fields, and its intent's or order's. The exact body is in the file with this name. */
export interface BodyCase {
  name: string
  event: EventName
  facts: EventFacts
  source: BodySource
  sandbox?: boolean
}

export const _id = 'lq3L-QAAAAAAAAABZpX4iAAAAAAAAAAC'
export const eventAt = new Date('2026-11-23T08:01:02.003Z')

const pairs = (metadata: [key: string, value: string][], merchantReference: string | null = '1042') => ({
  referenceNumber: 'PI-23456789ABCDEFGH',
  shortCode: 'X7K2QP',
  merchantReference,
  metadata: metadata.map(([key, value]) => ({ key, value })),
})
const plain = pairs([['order', '1042']])
const anyPairs: [string, string][] = [
  ['a.b', '1'],
  ['$x', '2'],
  ['__proto__', '3'],
  ['constructor', ''],
  ['10', 'a key that looks like an index comes first'],
  ['2', 'and in the order of numbers'],
  [' é💰', 'Épicerie « du marché » نواكشوط'],
  ['quotes', '"\\/\b\f\n\r\t\u0007\u007f\u2028\u2029</script>'],
]
const anyKeys = pairs(anyPairs, ' "é\\\u2028💰')
const commission = { providerTtc: 1000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1260 }
const amount = 50_000
const paid = { amount, paidAt: new Date('2026-11-23T08:00:59.999Z'), payerPhone: '22 ** ** 45', commission }
const refunded = { ...paid, status: 'REFUNDED' }
const refund = {
  id: 'RF-23456789ABCDEFGH',
  amount: 20_000,
  returnedFees: { providerTtc: 400, payerTtc: 200 },
}

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
const ofEvent =
  (event: EventName) =>
  (name: string, facts: EventFacts, source: BodySource = plain): BodyCase => ({ name, event, facts, source })
const created = ofEvent('payment.created')
const confirmed = ofEvent('payment.confirmed')
const cancelled = ofEvent('payment.cancelled')
const failed = ofEvent('payment.failed')
const refundedWith = ofEvent('payment.refunded')
const orderNew = ofEvent('order.new')
const { commission: _commission, ...withoutCommission } = paid
const pending = { status: 'PENDING', amount }
const customer = { name: 'Aïcha "A" 💰', phone: '22212345678', email: 'a@example.com' }
const endpointFailing = ofEvent('endpoint.failing')
const endpointId = '6560a1b2c3d4e5f60123456a'
const unreachable = {
  url: 'https://shop.example:8443/a%20b',
  failingSince: new Date('2026-11-22T08:01:01.002Z'),
  lastError: 'timeout',
  lastStatus: null,
}

export const format1: readonly BodyCase[] = [
  created('created', pending),
  created('created-open', { status: 'PENDING' }),
  { ...created('created-live', { status: 'PENDING', amount: 1_000_000_000_000 }), sandbox: false },
  created('created-any-metadata', pending, anyKeys),
  created('created-no-metadata', { status: 'PENDING', amount: 1 }, pairs([], null)),
  confirmed('confirmed', { status: 'PAID', ...paid }),
  confirmed('confirmed-no-commission', { status: 'PAID', ...withoutCommission }),
  cancelled('cancelled', { status: 'CANCELLED', amount }),
  cancelled('cancelled-open', { status: 'CANCELLED' }),
  ofEvent('payment.expired')('expired', { status: 'CANCELLED', amount }),
  failed('failed-retryable', { ...pending, failure: { code: 'insufficient_funds', retryable: true } }),
  failed('failed-open', { status: 'PENDING', failure: { code: 'limit_exceeded', retryable: true } }),
  failed('failed-for-good', {
    status: 'FAILED',
    amount,
    failure: { code: 'technical_error', retryable: false },
  }),
  refundedWith('refunded', { ...refunded, refund }),
  refundedWith('refunded-with-reason', {
    ...refunded,
    refund: { ...refund, reason: 'Colis « abîmé »\n"💔"' },
  }),
  orderNew('order', placed, order),
  orderNew('order-with-customer', placed, { ...order, items: lines, customer }),
  orderNew('order-with-unknown-customer', placed, {
    ...order,
    customer: { name: null, phone: null, email: 'a@example.com' },
  }),
  endpointFailing('endpoint-failing', { status: 'FAILING', endpoint: unreachable }, { endpointId }),
  endpointFailing(
    'endpoint-recovered',
    {
      status: 'RECOVERED',
      endpoint: { ...unreachable, lastError: 'status', lastStatus: 503, recoveredAt: eventAt },
    },
    { endpointId },
  ),
]
