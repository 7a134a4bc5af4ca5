import type { EventName } from '../../../schemas/events.ts'
import { paymentFormat, samplePayment } from '../../intents/event-data.ts'
import type { Facts, Recorded } from '../../outbox/event.ts'
import { orderFormat } from '../../store/orders/event-data.ts'
import { type BodySource, composeData, endpointFormat } from '../message.ts'

const noId = '0'.repeat(24)

/** In centimes. */
const amount = 50_000

const paidAt = (now: Date) => ({
  amount,
  paidAt: now,
  payerPhone: '22 ** ** 00',
  // At the default rates (docs/merchants/take-a-payment.md).
  commission: { providerTtc: 1000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1260 },
})

const order = (createdAt: Date) => ({
  _id: noId,
  number: 'OR-TEST000000000000',
  items: [
    {
      productId: noId,
      variantId: noId,
      name: 'Test',
      variantLabel: 'Test',
      sku: null,
      unitPrice: amount,
      quantity: 1,
      total: amount,
    },
  ],
  total: amount,
  customer: { name: 'Test', phone: null, email: null },
  createdAt,
})

type Sample = Recorded & { source: BodySource }

const ofPayment =
  (factsAt: (now: Date) => Facts) =>
  (now: Date): Sample => ({ source: samplePayment, format: paymentFormat, facts: factsAt(now) })

const samples: Record<EventName, (now: Date) => Sample> = {
  'payment.created': ofPayment(() => ({ status: 'PENDING', amount })),
  'payment.confirmed': ofPayment((now) => ({ status: 'PAID', ...paidAt(now) })),
  'payment.cancelled': ofPayment(() => ({ status: 'CANCELLED', amount })),
  'payment.expired': ofPayment(() => ({ status: 'CANCELLED', amount })),
  'payment.refunded': ofPayment((now) => ({
    status: 'REFUNDED',
    ...paidAt(now),
    refund: {
      id: 'RF-TEST000000000000',
      amount,
      // A full refund gives back both fees.
      returnedFees: { providerTtc: 1000, payerTtc: 500 },
      reason: 'Test',
    },
  })),
  'payment.failed': ofPayment(() => ({
    status: 'FAILED',
    amount,
    failure: { code: 'technical_error', retryable: false },
  })),
  'order.new': (now) => ({ source: order(now), format: orderFormat, facts: { status: 'PLACED' } }),
  'endpoint.failing': (now) => ({
    source: { endpointId: noId },
    format: endpointFormat,
    facts: {
      status: 'FAILING',
      endpoint: { url: 'https://test.example/', failingSince: now, lastError: 'status', lastStatus: 500 },
    },
  }),
}

/** For an endpoint test (SPEC 6.2): the structure of a real event, but obviously not real values. */
export function sampleData(event: EventName, now: Date): string {
  const sample = samples[event](now)
  return composeData(sample, sample.source)
}
