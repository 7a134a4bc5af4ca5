import { type Business, ratesAt } from '../../businesses/business.ts'
import type { PriceWithFee } from '../../checkout/layout.ts'
import type { Locale } from '../../checkout/locale.ts'
import { isolateLtrText } from '../../http/pages/text.ts'
import type { Refund } from '../../intents/records.ts'
import type { RedactedIntent } from '../../intents/search.ts'
import type { Deps } from '../../platform/deps.ts'
import { commissionOf } from '../../wallets/commission.ts'
import { byLanguage, type CallerAdvice, fillAdvice, fillTemplate } from './advice.ts'
import { paymentSentences } from './payment-sentences.ts'
import { derivePaymentState, findFailedRefund, findOpenRefund } from './payment-state.ts'

/** `intent` must have its status at `now` (`intentAsOf`). */
export function paymentAdvice(
  deps: Pick<Deps, 'config'>,
  intent: RedactedIntent,
  business: Business | null,
  now: Date,
): CallerAdvice {
  const price = priceOf(intent) ?? priceNow(deps, intent, business, now)
  return fillAdvice(paymentSentences[derivePaymentState(intent, business, now)], (locale) =>
    paymentFacts(locale, intent, price),
  )
}

export function paymentFacts(locale: Locale, intent: RedactedIntent, price: PriceWithFee | null) {
  const { referenceNumber: reference, hold, payment, refunds, codeExpiresAt, expiresAt } = intent
  const lastAttempt = intent.attempts.at(-1)
  const [open, failed] = [findOpenRefund(intent), findFailedRefund(intent)]
  const made = refunds.filter(({ status }) => status === 'SUCCEEDED').map(givenBackBy)
  const moment = (at: Date | undefined) => (at === undefined ? '' : locale.moment(at))
  const refund = open === undefined ? failed : givenBackBy(open)
  return {
    notCharged: locale.words.nothingTaken,
    reference: isolateLtrText(locale, reference),
    // If the price is null, the customer hasn't chosen an amount yet.
    amount: price === null ? 'an amount of their choice' : describePrice('charged', locale, price),
    refunded: describePrice('givenBack', locale, sumOf(made)),
    refund: refund === undefined ? '' : describePrice('givenBack', locale, refund),
    since: moment(hold?.startedAt ?? open?.createdAt ?? lastAttempt?.startedAt ?? lastAttempt?.at),
    validUntil: moment(hold?.validUntil ?? open?.validUntil),
    queryAt: moment(hold?.queryAt ?? open?.queryAt ?? open?.validUntil),
    key: hold?.id ?? open?.id ?? '',
    paidAt: moment(payment?.paidAt),
    codeExpiresAt: moment(codeExpiresAt),
    expiresAt: moment(expiresAt),
  }
}

function priceOf({ hold, payment, attempts }: RedactedIntent): PriceWithFee | null {
  if (hold !== null) return { amount: hold.amount, fee: hold.commission.payerTtc }
  if (payment !== null) return { amount: payment.amountPaid, fee: payment.commission.payerTtc }
  return attempts.at(-1) ?? null
}

/** Null if the customer chooses the amount. */
function priceNow(
  { config }: Pick<Deps, 'config'>,
  { amountType, amount }: RedactedIntent,
  business: Business | null,
  now: Date,
): PriceWithFee | null {
  if (amountType === 'OPEN' || amount === null) return null
  const rates = ratesAt(business?.commission ?? [], config.commissionRates, now)
  return { amount, fee: commissionOf(amount, rates).payerTtc }
}

const givenBackBy = ({ amount, returnedFees }: Refund): PriceWithFee => ({
  amount,
  fee: returnedFees.payerTtc,
})

const zero: PriceWithFee = { amount: 0, fee: 0 }
const sumOf = (prices: readonly PriceWithFee[]): PriceWithFee =>
  prices.reduce((sum, { amount, fee }) => ({ amount: sum.amount + amount, fee: sum.fee + fee }), zero)

type Language = Pick<Locale, 'code' | 'dir' | 'money'>

const parts = {
  charged: byLanguage('{amount} and a fee of {fee}', 'dont {fee} de frais', 'منها رسوم قدرها {fee}'),
  givenBack: byLanguage(
    '{amount} and {fee} of the fee',
    'dont {fee} de frais restitués',
    'منها رسوم مستردة قدرها {fee}',
  ),
}

/** Returns e.g. `505.00 MRU (500.00 MRU and a fee of 5.00 MRU)`. */
export function describePrice(kind: keyof typeof parts, language: Language, { amount, fee }: PriceWithFee) {
  const shown = (centimes: number) => isolateLtrText(language, language.money(centimes))
  const total = shown(amount + fee)
  const inParts = fillTemplate(parts[kind][language.code], { amount: shown(amount), fee: shown(fee) })
  return fee === 0 ? total : `${total} (${inParts})`
}
