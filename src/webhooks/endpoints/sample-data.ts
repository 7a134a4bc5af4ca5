import type { EventName } from '../../../schemas/events.ts'
import { orderPayload } from '../../store/orders/payload.ts'

/** No reference and no short code of a real payment has a zero (src/ids.ts), so nobody mistakes these for one. */
const reference = 'PI-TEST000000000000'
const shortCode = 'TEST00'
const noId = '0'.repeat(24)

/** Centimes. */
const amount = 50_000
const nothingEarned = { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 }
/** By the default rates (docs/payments.md). */
const earned = { provider_ttc: 1000, payer_ttc: 500, tof: 210, tte: 30, total_revenue: 1260 }

const payment = (status: string, paidAt: Date | null): Record<string, unknown> => ({
  reference_number: reference,
  short_code: shortCode,
  amount,
  currency: 'MRU',
  status,
  paid_at: paidAt,
  payer_phone: paidAt === null ? null : '22******00',
  metadata: {},
  commission: paidAt === null ? nothingEarned : earned,
})

/** The `data` of a test delivery (SPEC 6.2): the shape of the event's own, and plainly made up. */
export const sampleData: Record<EventName, (now: Date) => Record<string, unknown>> = {
  'payment.created': () => payment('PENDING', null),
  'payment.confirmed': (now) => payment('PAID', now),
  'payment.cancelled': () => payment('CANCELLED', null),
  'payment.expired': () => payment('CANCELLED', null),
  'payment.refunded': (now) => ({
    ...payment('REFUNDED', now),
    refund: { id: 'RF-TEST000000000000', amount, reason: 'Test' },
  }),
  'payment.failed': () => ({
    ...payment('FAILED', null),
    failure: { code: 'technical_error', retryable: false },
  }),
  'order.new': (createdAt) =>
    orderPayload({
      _id: noId,
      sandbox: true,
      status: 'PLACED',
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
    }),
}
