import { currencyCode } from '../../schemas/currency.ts'
import type { EventFacts } from '../outbox/event.ts'
import { type Commission, noCommission } from '../wallets/commission.ts'
import { type Intent, metadataToObject } from './intent.ts'

/** These fields never change. All others are stored with the event. */
export const paymentEventFields = {
  referenceNumber: 1,
  shortCode: 1,
  merchantReference: 1,
  metadata: 1,
} as const
export type PaymentEventSource = Pick<Intent, keyof typeof paymentEventFields>

/** Real references and short codes never contain a zero. */
export const samplePayment: PaymentEventSource = {
  referenceNumber: 'PI-TEST000000000000',
  shortCode: 'TEST00',
  merchantReference: null,
  metadata: [],
}

export const paymentDataVersion = 1

/** SPEC 6.2. Never change a format: all attempts must send the same bytes. */
export const paymentDataFormats: Record<number, (source: PaymentEventSource, facts: EventFacts) => string> = {
  1: paymentData,
}

/** Bodies share one metadata string, because 200 copies would take 46 MB. */
function paymentData(source: PaymentEventSource, facts: EventFacts): string {
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
    ...(facts.failure === undefined ? {} : { failure: facts.failure }),
    ...(facts.refund === undefined ? {} : { refund: refundFields(facts.refund) }),
  }
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadataText(source)},${JSON.stringify(tail).slice(1)}`
}

const metadataTexts = new WeakMap<PaymentEventSource, string>()

function metadataText(source: PaymentEventSource): string {
  const text = metadataTexts.get(source) ?? JSON.stringify(metadataToObject(source))
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

const refundFields = ({ id, amount, returnedFees, reason }: NonNullable<EventFacts['refund']>) => ({
  id,
  amount,
  returned_fees: { provider_ttc: returnedFees.providerTtc, payer_ttc: returnedFees.payerTtc },
  reason: reason ?? null,
})
