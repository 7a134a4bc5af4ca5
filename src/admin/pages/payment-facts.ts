import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { isPending } from '../../intents/lifecycle.ts'
import type { Refund } from '../../intents/records.ts'
import type { TracedIntent } from '../../intents/search.ts'
import { time } from './layout.ts'
import { businessLink } from './paths.ts'
import { reasonInWords, walletInWords } from './payment-words.ts'
import { money, userText } from './words.ts'

/** Returns notices about an intent's payment and refunds if their outcomes are still unknown. */
export function openOutcomes({ hold: payment, refunds }: TracedIntent): string {
  const paying =
    payment === null
      ? ''
      : html`<p class="notice"><b>A payment is in progress</b> since !${time(payment.startedAt)}: ${money(payment.amount)}!${withFee(payment.commission.payerTtc)} by
          !${phone(payment.payerPhone)} through the ${walletInWords(payment.wallet)}, payment key: <span class="id">${payment.id}</span>. Until the
          outcome is known, no one else can pay, the merchant cannot cancel, and the payment intent does not expire. The service will next check the
          outcome with the wallet at !${time(payment.queryAt)}.</p>`
  const refunding = refunds
    .filter(({ status }) => status === 'PENDING')
    .map(
      ({ id, amount, returnedFees, createdAt, queryAt, validUntil }) =>
        html`<p class="notice"><b>A refund is in progress</b> since !${time(createdAt)}: ${money(amount)}!${withFee(returnedFees.payerTtc)}, <span class="id">${id}</span>. It is not known
          yet whether the customer received the money. The service checks with the wallet at !${time(queryAt ?? validUntil)}.</p>`,
    )
  return [paying, ...refunding].join('')
}

/**
 * Returns a list with the facts about a payment intent: its amount, status, payment, refunds and failure. `intent` must
 * have its current status (`asOf`).
 */
export const paymentFacts = (intent: TracedIntent, business: Business | null): string =>
  html`<dl class="facts card">
    <dt>Business</dt><dd>!${businessLink(intent.businessId, business?.name)}</dd>
    <dt>Amount</dt><dd>${amountOf(intent)}</dd>
    <dt>Status</dt><dd>${intent.status}</dd>
    !${intent.label === null ? '' : html`<dt>Label</dt><dd>!${userText(intent.label)}</dd>`}
    !${intent.merchantReference === null ? '' : html`<dt>Merchant's reference</dt><dd>!${userText(intent.merchantReference)}</dd>`}
    !${paid(intent)}
    !${intent.refunds.length === 0 ? '' : html`<dt>Refunds</dt><dd>!${intent.refunds.map(refund)}</dd>`}
    !${failure(intent)}
    <dt>Created</dt><dd>!${time(intent.createdAt)}</dd>
    <dt>Expires</dt><dd>!${time(intent.expiresAt)}</dd>
  </dl>`

const amountOf = ({ amountType, amount }: TracedIntent): string =>
  amountType === 'OPEN' || amount === null ? 'open: the customer chooses' : money(amount)

function paid({ payment }: TracedIntent): string {
  if (payment === null) return ''
  const { amountPaid, method, paidAt, payerPhone, wallet, key, commission } = payment
  const { providerTtc, payerTtc, tof, tte, totalRevenue } = commission
  return html`<dt>Paid</dt><dd>${money(amountPaid)}!${withFee(payerTtc)} by ${method}, !${time(paidAt)}</dd>
    <dt>Customer</dt><dd>!${phone(payerPhone)}</dd>
    <dt>Wallet</dt><dd>${walletInWords(wallet)}; payment key: <span class="id">${key}</span></dd>
    <dt>Commission</dt><dd>merchant ${money(providerTtc)}, customer ${money(payerTtc)}; including taxes ${money(tof)} + ${money(tte)}; revenue ${money(totalRevenue)}</dd>`
}

const refundStatus: Record<Refund['status'], string> = {
  PENDING: 'the outcome is not known yet',
  SUCCEEDED: 'the customer received the money',
}

const refund = ({ id, amount, returnedFees, reason, status, createdAt }: Refund): string =>
  html`<div>${money(amount)}!${withFee(returnedFees.payerTtc)} to the customer, fee of ${money(returnedFees.providerTtc)} to the merchant, !${time(createdAt)}, <span class="id">${id}</span>: ${status}, ${refundStatus[status]}!${reason === null ? '' : html`. Reason: !${userText(reason)}`}</div>`

function failure({ failure: last, status }: TracedIntent): string {
  if (last === null) return ''
  const then = last.retryable && isPending(status) ? 'the customer can try again' : 'it can no longer be paid'
  return html`<dt>Failed</dt><dd>${reasonInWords(last.code)}; ${then}</dd>`
}

/** Returns the customer's fee as HTML, to be shown after the amount. */
const withFee = (fee: number): string => (fee === 0 ? '' : html` + ${money(fee)} fee`)

/** Formats a masked phone number so that it always reads from left to right. */
const phone = (masked: string): string => html`<bdi dir="ltr">${masked}</bdi>`
