import { html } from 'ghtml'
import type { CancellationReason } from '../../../schemas/payment-reasons.ts'
import type { Price } from '../../checkout/layout.ts'
import { isPending } from '../../intents/lifecycle.ts'
import type { PaymentAttempt } from '../../intents/records.ts'
import type { TracedIntent } from '../../intents/search.ts'
import { chargedInWords, givenBackInWords } from '../sentences/totals.ts'
import { paymentOutcome, refundOutcome } from './payment-words.ts'
import { money } from './words.ts'

/** A past or future entry in the timeline. `text` is HTML. */
export interface Entry {
  at: Date
  text: string
}

/** Returns an entry if its time is known. */
export const entryAt = (at: Date | null | undefined, text: string): Entry[] => (at ? [{ at, text }] : [])

/** Returns the past and future events of a payment intent. `intent` must have its current status (`asOf`). */
export const paymentStory = (intent: TracedIntent): Entry[] => [
  { at: intent.createdAt, text: html`<b>Created</b> by the merchant` },
  ...attemptsToPay(intent),
  ...refunds(intent),
  ...ends(intent),
]

const reasons: Record<CancellationReason, string> = {
  requested_by_merchant: 'cancelled by the merchant',
  cancelled_by_operator: 'cancelled by an operator',
  expired: 'expired without a payment',
}

function ends({ status, cancellationReason, updatedAt, expiresAt }: TracedIntent): Entry[] {
  if (isPending(status)) return [{ at: expiresAt, text: 'Expires if it is not paid' }]
  if (cancellationReason === null) return []
  return [{ at: updatedAt, text: html`<b>${status}</b>: ${reasons[cancellationReason]}` }]
}

/** Returns the payments, and the refunds that failed. Other refunds are listed separately. */
function attemptsToPay({ attempts, hold }: TracedIntent): Entry[] {
  const ended = attempts.flatMap((attempt) => [
    ...(attempt.startedAt === undefined ? [] : [started({ ...attempt, startedAt: attempt.startedAt })]),
    {
      at: attempt.at,
      text:
        attempt.kind === 'payment'
          ? html`<b>Payment</b> of ${charged(attempt)} by <bdi dir="ltr">${attempt.payerPhone}</bdi>: ${paymentOutcome(attempt)}`
          : html`<b>Refund</b> of ${givenBack(attempt)} failed: ${refundOutcome(attempt)}`,
    },
  ])
  if (hold === null) return ended
  return [
    ...ended,
    started({ ...hold, kind: 'payment', fee: hold.commission.payerTtc }),
    { at: hold.queryAt, text: 'The service checks the outcome of the payment with the wallet' },
  ]
}

/** Describes the start of a payment, or of a refund that failed. */
const started = ({
  kind,
  startedAt,
  payerPhone,
  ...price
}: Pick<PaymentAttempt, 'kind' | 'amount' | 'fee' | 'payerPhone'> & { startedAt: Date }): Entry => ({
  at: startedAt,
  text:
    kind === 'payment'
      ? html`<b>Payment</b> of ${charged(price)} by <bdi dir="ltr">${payerPhone}</bdi> started`
      : html`<b>Refund</b> of ${givenBack(price)} started`,
})

const refunds = ({ refunds: all }: TracedIntent): Entry[] =>
  all.flatMap(({ amount, returnedFees, status, createdAt, queryAt }) => [
    {
      at: createdAt,
      text: html`<b>Refund</b> of ${givenBack({ amount, fee: returnedFees.payerTtc })}: ${status}`,
    },
    ...entryAt(queryAt, 'The service checks the outcome of the refund with the wallet'),
  ])

const language = { code: 'en', money } as const
const charged = (price: Price): string => chargedInWords(language, price)
const givenBack = (price: Price): string => givenBackInWords(language, price)
