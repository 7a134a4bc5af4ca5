import type { Intent } from './intent.ts'

/** Nothing was earned before a payment (SPEC 6.2). */
const noCommission = { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 }

/** The `data` of a payment event (SPEC 6.2): amounts in centimes, null for an OPEN intent that nobody paid. */
export function paymentPayload(intent: Intent): Record<string, unknown> {
  return {
    reference_number: intent.referenceNumber,
    short_code: intent.shortCode,
    amount: intent.payment?.amountPaid ?? (intent.amountType === 'OPEN' ? null : intent.amount),
    currency: 'MRU',
    status: intent.status,
    paid_at: intent.payment?.paidAt ?? null,
    payer_phone: null,
    metadata: metadataObject(intent),
    commission: noCommission,
  }
}

/** The merchant's pairs as an object; `fromEntries` makes even `__proto__` a plain own key. */
export const metadataObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
