import { currencyCode } from '../../schemas/currency.ts'
import type { Facts } from '../outbox/facts.ts'
import { type Commission, noCommission } from '../wallets/commission.ts'
import { type Intent, metadataObject } from './intent.ts'

/**
 * The immutable fields of an intent that appear in its events. The fields that may change are stored in the event
 * (facts.ts). The keys and values in `metadata` have at most 37 750 characters in total, which may become about 227 000
 * characters in JSON.
 */
export const paymentSourceFields = {
  referenceNumber: 1,
  shortCode: 1,
  merchantReference: 1,
  metadata: 1,
} as const
export type PaymentSource = Pick<Intent, keyof typeof paymentSourceFields>

/**
 * The sample payment with which merchants test an endpoint. References and short codes of real payments never contain a
 * zero (src/platform/ids.ts).
 */
export const samplePayment: PaymentSource = {
  referenceNumber: 'PI-TEST000000000000',
  shortCode: 'TEST00',
  merchantReference: null,
  metadata: [],
}

/** The current format, which new payment events use. */
export const paymentFormat = 1

/**
 * The functions that return a payment event's `data` (SPEC 6.2) as JSON, by format number. A released format must never
 * change, because every attempt at a delivery must send the same bytes. To change what is sent, add a format with the
 * next number (test/vectors/webhook-bodies).
 */
export const paymentFormats: Record<number, (source: PaymentSource, facts: Facts) => string> = {
  1: paymentData,
}

/**
 * Returns the `data` of a payment event, with amounts in centimes. All bodies with the same source share a single
 * string for the metadata. This string may have 227 000 characters, so 200 bodies with separate strings could take up
 * 46 MB for metadata.
 */
function paymentData(source: PaymentSource, facts: Facts): string {
  const head = {
    reference_number: source.referenceNumber,
    short_code: source.shortCode,
    merchant_reference: source.merchantReference,
    amount: facts.amount ?? null,
    currency: currencyCode,
    status: facts.status,
    paid_at: facts.paidAt ?? null,
    payer_phone: facts.payerPhone ?? null,
  }
  const tail = {
    commission: commissionFields(facts.commission ?? noCommission),
    ...(facts.failure === undefined ? {} : { failure: failureFields(facts.failure) }),
    ...(facts.refund === undefined ? {} : { refund: refundFields(facts.refund) }),
  }
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadataText(source)},${JSON.stringify(tail).slice(1)}`
}

const metadataTexts = new WeakMap<PaymentSource, string>()

function metadataText(source: PaymentSource): string {
  const text = metadataTexts.get(source) ?? JSON.stringify(metadataObject(source))
  metadataTexts.set(source, text)
  return text
}

const commissionFields = ({ providerTtc, payerTtc, tof, tte, totalRevenue }: Commission) => ({
  provider_ttc: providerTtc,
  payer_ttc: payerTtc,
  tof,
  tte,
  total_revenue: totalRevenue,
})

const failureFields = ({ code, retryable }: NonNullable<Facts['failure']>) => ({ code, retryable })

const refundFields = ({ id, amount, returnedFees, reason }: NonNullable<Facts['refund']>) => ({
  id,
  amount,
  returned_fees: { provider_ttc: returnedFees.providerTtc, payer_ttc: returnedFees.payerTtc },
  reason: reason ?? null,
})
