import { html } from 'ghtml'
import type { CancellationReason } from '../../../schemas/payment-reasons.ts'
import { isPending } from '../../intents/lifecycle.ts'
import type { TracedIntent } from '../../intents/look-up.ts'
import type { PaymentAttempt } from '../../intents/payments/payment.ts'
import { paymentOutcome, refundOutcome } from './payment-words.ts'
import { money } from './words.ts'

/** One thing that happened, or will: when, and what, in HTML. */
export interface Entry {
  at: Date
  text: string
}

/** What happened to a payment itself, and what will; `intent` as it is now (asOf). */
export const paymentStory = (intent: TracedIntent): Entry[] => [
  { at: intent.createdAt, text: html`<b>Created</b> by the merchant` },
  ...triesToPay(intent),
  ...refunds(intent),
  ...ends(intent),
]

const reasons: Record<CancellationReason, string> = {
  requested_by_merchant: 'the merchant cancelled it',
  cancelled_by_operator: 'an operator cancelled it',
  expired: 'its time was up and nobody had paid',
}

function ends({ status, cancellationReason, updatedAt, expiresAt }: TracedIntent): Entry[] {
  if (isPending(status)) return [{ at: expiresAt, text: 'Expires, if nobody pays' }]
  if (cancellationReason === null) return []
  return [{ at: updatedAt, text: html`<b>${status}</b>: ${reasons[cancellationReason]}` }]
}

function triesToPay({ attempts, hold }: TracedIntent): Entry[] {
  const tried = attempts.map((attempt) => ({
    at: attempt.at,
    text: attempt.kind === 'payment' ? triedToPay(attempt) : triedToRefund(attempt),
  }))
  if (hold === null) return tried
  return [
    ...tried,
    {
      at: hold.startedAt,
      text: html`<b>Payment</b> of ${money(hold.amount)} by <bdi dir="ltr">${hold.payerPhone}</bdi> begun`,
    },
    { at: hold.askAt, text: 'The wallet is asked what became of the payment' },
  ]
}

const triedToPay = (attempt: PaymentAttempt): string =>
  html`<b>Payment</b> of ${money(attempt.amount)} by <bdi dir="ltr">${attempt.payerPhone}</bdi>: ${paymentOutcome(attempt)}`

/** One that was made stands among the refunds. */
const triedToRefund = (attempt: PaymentAttempt): string =>
  html`<b>Refund</b> of ${money(attempt.amount)} was not made: ${refundOutcome(attempt)}`

const refunds = ({ refunds: all }: TracedIntent): Entry[] =>
  all.flatMap(({ amount, status, createdAt, askAt }) => [
    { at: createdAt, text: html`<b>Refund</b> of ${money(amount)}: ${status}` },
    ...(askAt === undefined ? [] : [{ at: askAt, text: 'The wallet is asked what became of the refund' }]),
  ])
