import { type Commission, noCommission } from '../wallets/commission.ts'
import type { Intent } from './intent.ts'
import type { PaymentFailure } from './payments/payment.ts'
import type { Refund } from './refunds/refund-record.ts'

/** What an event tells beyond how the intent is afterwards: why a payment failed, which refund it was. */
export interface Told {
  failure?: PaymentFailure
  refund?: Pick<Refund, 'id' | 'amount' | 'reason'>
}

/**
 * The `data` of a payment event (SPEC 6.2): amounts in centimes, null for an OPEN intent that nobody paid. The commission is the
 * payment's, in each event after it.
 */
export function paymentPayload(intent: Intent, { failure, refund }: Told): Record<string, unknown> {
  const { payment } = intent
  return {
    reference_number: intent.referenceNumber,
    short_code: intent.shortCode,
    amount: payment?.amountPaid ?? (intent.amountType === 'OPEN' ? null : intent.amount),
    currency: 'MRU',
    status: intent.status,
    paid_at: payment?.paidAt ?? null,
    payer_phone: payment?.payerPhone ?? null,
    metadata: metadataObject(intent),
    commission: commissionFields(payment?.commission ?? noCommission),
    ...(failure === undefined ? {} : { failure }),
    ...(refund === undefined
      ? {}
      : { refund: { id: refund.id, amount: refund.amount, reason: refund.reason } }),
  }
}

const commissionFields = ({ providerTtc, payerTtc, tof, tte, totalRevenue }: Commission) => ({
  provider_ttc: providerTtc,
  payer_ttc: payerTtc,
  tof,
  tte,
  total_revenue: totalRevenue,
})

/** The merchant's pairs as an object; `fromEntries` makes even `__proto__` a plain own key. */
export const metadataObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
