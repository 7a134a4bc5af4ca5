import type { Business } from '../../businesses/business.ts'
import type { Locale } from '../../checkout/locale.ts'
import type { TracedIntent } from '../../intents/look-up.ts'
import { type Advice, adviceFrom } from './advice.ts'
import { paymentSentences } from './payment-sentences.ts'
import { failedRefundOf, openRefundOf, paymentStateOf } from './payment-state.ts'
import type { PaymentFacts } from './refund-sentences.ts'

/** Returns the words for the state of a payment. `intent` must have its status at `now` (`asOf`). */
export const paymentAdvice = (intent: TracedIntent, business: Business | null, now: Date): Advice =>
  adviceFrom(paymentSentences[paymentStateOf(intent, business, now)], (locale) => factsIn(locale, intent))

function factsIn(locale: Locale, intent: TracedIntent): PaymentFacts {
  const { referenceNumber: reference, hold, payment, refunds, codeExpiresAt, expiresAt } = intent
  const lastAttempt = intent.attempts.at(-1)
  const [open, failed] = [openRefundOf(intent), failedRefundOf(intent)]
  const amount = hold?.amount ?? payment?.amountPaid ?? lastAttempt?.amount ?? fixedAmountOf(intent)
  const made = refunds.filter(({ status }) => status === 'SUCCEEDED')
  const moment = (at: Date | undefined) => (at === undefined ? '' : locale.moment(at))
  const money = (centimes: number | null | undefined) =>
    typeof centimes === 'number' ? locale.money(centimes) : anyAmount[locale.code]
  return {
    reference,
    amount: money(amount),
    refunded: money(made.reduce((sum, refund) => sum + refund.amount, 0)),
    refund: money(open?.amount ?? failed?.amount),
    since: moment(hold?.startedAt ?? open?.createdAt ?? lastAttempt?.startedAt ?? lastAttempt?.at),
    validUntil: moment(hold?.validUntil ?? open?.validUntil),
    queryAt: moment(hold?.queryAt ?? open?.queryAt ?? open?.validUntil),
    key: hold?.id ?? open?.id ?? '',
    paidAt: moment(payment?.paidAt),
    codeExpiresAt: moment(codeExpiresAt),
    expiresAt: moment(expiresAt),
  }
}

/** Returns the amount to pay, or null if the customer chooses it. */
const fixedAmountOf = ({ amountType, amount }: TracedIntent): number | null =>
  amountType === 'OPEN' ? null : amount

const anyAmount: Record<Locale['code'], string> = {
  en: 'an amount of their choice',
  fr: 'un montant au choix',
  ar: '',
}
