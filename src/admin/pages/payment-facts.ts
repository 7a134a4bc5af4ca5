import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { isPending } from '../../intents/lifecycle.ts'
import type { TracedIntent } from '../../intents/look-up.ts'
import type { Refund } from '../../intents/refunds/refund-record.ts'
import { time } from './layout.ts'
import { businessPath } from './paths.ts'
import { reasonInWords, walletInWords } from './payment-words.ts'
import { foreign, money } from './words.ts'

/** What a payment under way and refunds that nobody knows the end of wait for, or nothing. */
export function hold({ hold: payment, refunds }: TracedIntent): string {
  const paying =
    payment === null
      ? ''
      : html`<p class="notice"><b>A payment is under way</b> since !${time(payment.startedAt)}: ${money(payment.amount)} by
          !${phone(payment.payerPhone)}, wallet: ${walletInWords(payment.wallet)}, its key there <span class="id">${payment.id}</span>. Until its
          outcome is known nobody else can pay, the merchant cannot cancel, and it does not expire. The wallet is asked at
          !${time(payment.askAt)} what became of it.</p>`
  const refunding = refunds
    .filter(({ status }) => status === 'PENDING')
    .map(
      ({ id, amount, createdAt, askAt, validUntil }) =>
        html`<p class="notice"><b>A refund is under way</b> since !${time(createdAt)}: ${money(amount)}, <span class="id">${id}</span>. It is not known
          yet whether the money went back. The wallet is asked at !${time(askAt ?? validUntil)}.</p>`,
    )
  return [paying, ...refunding].join('')
}

/** The payment itself: what was asked for, paid, refunded, and why it failed. `intent` as it is now (asOf). */
export const paymentFacts = (intent: TracedIntent, business: Business | null): string =>
  html`<dl class="facts card">
    <dt>Merchant</dt><dd><a href="${businessPath(intent.businessId)}">!${foreign(business?.name ?? intent.businessId)}</a></dd>
    <dt>Amount</dt><dd>${amountOf(intent)}</dd>
    <dt>Status</dt><dd>${intent.status}</dd>
    !${intent.label === null ? '' : html`<dt>Label</dt><dd>!${foreign(intent.label)}</dd>`}
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
  return html`<dt>Paid</dt><dd>${money(amountPaid)} by ${method}, !${time(paidAt)}</dd>
    <dt>By</dt><dd>!${phone(payerPhone)}</dd>
    <dt>Wallet</dt><dd>${walletInWords(wallet)}; its key there <span class="id">${key}</span></dd>
    <dt>Commission</dt><dd>merchant ${money(providerTtc)}, payer ${money(payerTtc)}; of it taxes ${money(tof)} + ${money(tte)}, revenue ${money(totalRevenue)}</dd>`
}

const refundStatus: Record<Refund['status'], string> = {
  PENDING: 'not known yet whether the money went back',
  SUCCEEDED: 'the money went back',
}

const refund = ({ id, amount, reason, status, createdAt }: Refund): string =>
  html`<div>${money(amount)}, !${time(createdAt)}, <span class="id">${id}</span>: ${status}, ${refundStatus[status]}!${reason === null ? '' : html`. Reason: !${foreign(reason)}`}</div>`

function failure({ failure: last, status }: TracedIntent): string {
  if (last === null) return ''
  const then =
    last.retryable && isPending(status) ? 'the customer may try again' : 'it cannot be paid any more'
  return html`<dt>Failed</dt><dd>${reasonInWords(last.code)}; ${then}</dd>`
}

/** Masked, and read from the left. */
const phone = (masked: string): string => html`<bdi dir="ltr">${masked}</bdi>`
