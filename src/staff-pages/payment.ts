import { html } from 'ghtml'
import { findLatestLines } from '../audit/list.ts'
import type { Business } from '../businesses/business.ts'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import { isolateText } from '../http/pages/text.ts'
import { isPending } from '../intents/lifecycle.ts'
import { intentAsOf } from '../intents/present.ts'
import type { Refund } from '../intents/records.ts'
import { deriveEventNames, lookUpIntent, type RedactedIntent } from '../intents/search.ts'
import { orderDisplay, paymentDisplay } from '../staff-acts/shown.ts'
import { lookUpOrder, type OrderForStaff } from '../store/orders/read.ts'
import { lookUpDeliveries } from '../webhooks/deliveries/look-up.ts'
import { describeReason, describeWallet, environmentBadge, formatMoney, renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import { businessLink } from './paths.ts'
import { requeueNotice } from './requeue.ts'
import { adviceCard } from './sentences/advice.ts'
import { paymentAdvice } from './sentences/payment-advice.ts'
import { renderFacts } from './table.ts'
import { renderPaymentTimeline } from './timeline.ts'
import { renderWebhooks } from './webhooks.ts'

type Reads = 'Business' | 'Delivery' | 'Endpoint' | 'config' | 'now' | 'secrets'

const heading = (id: string, { sandbox }: { sandbox: boolean }) =>
  html`<h1><span class="id">${id}</span> !${environmentBadge(sandbox)}</h1>`

export const paymentPage: StaffPage<Reads | 'AuditEvent' | 'Intent'> = async (deps, { id, query, staff }) => {
  const now = deps.now()
  const stored = await lookUpIntent(deps, id)
  if (stored === null) return null
  // An event stays in the intent's outbox until its deliveries exist.
  const deliveries = await lookUpDeliveries(deps, id)
  const deliveryIds = deliveries.map(({ _id }) => _id)
  const [business, trail, webhooks] = await Promise.all([
    lookUpBusiness(deps, stored.businessId),
    findLatestLines(deps, deliveryIds),
    renderWebhooks(deps, stored, deriveEventNames(stored), deliveries, staff),
  ])
  const intent = intentAsOf(stored, now)
  const body = html`!${heading(id, intent)}
    !${requeueNotice(query)}
    !${adviceCard(paymentAdvice(deps, intent, business, now))}
    <h2>Payment</h2>
    !${openOutcomes(intent)}
    !${paymentFacts(intent, business)}
    !${webhooks}
    <h2>Timeline</h2>
    !${renderPaymentTimeline(intent, deliveries, trail)}`
  return { title: id, body }
}

export const orderPage: StaffPage<Reads | 'Order'> = async (deps, { id, query, staff }) => {
  const order = await lookUpOrder(deps, id)
  if (order === null) return null
  // Reads deliveries second, for the same reason as on a payment's page.
  const deliveries = await lookUpDeliveries(deps, id)
  const [business, webhooks] = await Promise.all([
    lookUpBusiness(deps, order.businessId),
    renderWebhooks(deps, order, ['order.new'], deliveries, staff),
  ])
  const body = html`!${heading(id, order)}
    !${requeueNotice(query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(order.businessId, business?.name)}</dd>
      !${renderFacts(order, [orderDisplay.status])}
      <dt>Items</dt><dd>!${order.items.map(item)}</dd>
      !${renderFacts(order, [orderDisplay.total, orderDisplay.createdAt])}
    </dl>
    !${webhooks}`
  return { title: id, body }
}

const item = ({ name, variantLabel, quantity, unitPrice }: OrderForStaff['items'][number]) =>
  html`<div>${quantity} × !${isolateText(name)}, !${isolateText(variantLabel)}, at ${formatMoney(unitPrice)}</div>`

function openOutcomes({ hold: payment, refunds }: RedactedIntent) {
  const paying =
    payment === null
      ? ''
      : html`<p class="notice"><b>A payment is in progress</b> since !${renderTime(payment.startedAt)}: ${withFee(payment.amount, payment.commission.payerTtc)} by
          !${phone(payment.payerPhone)} through the ${describeWallet(payment.wallet)}, payment key: <span class="id">${payment.id}</span>. Until the
          outcome is known, no one else can pay, the merchant cannot cancel, and the payment intent does not expire. The service will next check the
          outcome with the wallet at !${renderTime(payment.queryAt)}.</p>`
  const refunding = refunds
    .filter(({ status }) => status === 'PENDING')
    .map(
      ({ id, amount, returnedFees, createdAt, queryAt, validUntil }) =>
        html`<p class="notice"><b>A refund is in progress</b> since !${renderTime(createdAt)}: ${withFee(amount, returnedFees.payerTtc)}, <span class="id">${id}</span>. It is not known
          yet whether the customer received the money. The service checks with the wallet at !${renderTime(queryAt ?? validUntil)}.</p>`,
    )
  return [paying, ...refunding].join('')
}

/** `intent` must have its current status (`intentAsOf`). */
const paymentFacts = (intent: RedactedIntent, business: Business | null) =>
  html`<dl class="facts card">
    <dt>Business</dt><dd>!${businessLink(intent.businessId, business?.name)}</dd>
    <dt>Amount</dt><dd>${amountOf(intent)}</dd>
    !${renderFacts(intent, [paymentDisplay.status])}
    !${intent.label === null ? '' : html`<dt>Label</dt><dd>!${isolateText(intent.label)}</dd>`}
    !${intent.merchantReference === null ? '' : html`<dt>Merchant's reference</dt><dd>!${isolateText(intent.merchantReference)}</dd>`}
    !${paid(intent)}
    !${intent.refunds.length === 0 ? '' : html`<dt>Refunds</dt><dd>!${intent.refunds.map(refund)}</dd>`}
    !${failure(intent)}
    !${renderFacts(intent, [paymentDisplay.createdAt, paymentDisplay.expiresAt])}
  </dl>`

const amountOf = ({ amountType, amount }: RedactedIntent) =>
  amountType === 'OPEN' || amount === null ? 'open: the customer chooses' : formatMoney(amount)

function paid({ payment }: RedactedIntent) {
  if (payment === null) return ''
  const { amountPaid, method, paidAt, payerPhone, wallet, key, commission } = payment
  const { providerTtc, payerTtc, tof, tte, totalRevenue } = commission
  return html`<dt>Paid</dt><dd>${withFee(amountPaid, payerTtc)} by ${method}, !${renderTime(paidAt)}</dd>
    <dt>Customer</dt><dd>!${phone(payerPhone)}</dd>
    <dt>Wallet</dt><dd>${describeWallet(wallet)}; payment key: <span class="id">${key}</span></dd>
    <dt>Commission</dt><dd>merchant ${formatMoney(providerTtc)}, customer ${formatMoney(payerTtc)}; including taxes ${formatMoney(tof)} + ${formatMoney(tte)}; revenue ${formatMoney(totalRevenue)}</dd>`
}

function failure({ failure: last, status }: RedactedIntent) {
  if (last === null) return ''
  const then = last.retryable && isPending(status) ? 'the customer can try again' : 'it can no longer be paid'
  return html`<dt>Failed</dt><dd>${describeReason(last.code)}; ${then}</dd>`
}

const refundStatus: Record<Refund['status'], string> = {
  PENDING: 'the outcome is not known yet',
  SUCCEEDED: 'the customer received the money',
}

const refund = ({ id, amount, returnedFees, reason, status, createdAt }: Refund) =>
  html`<div>${withFee(amount, returnedFees.payerTtc)} to the customer, fee of ${formatMoney(returnedFees.providerTtc)} to the merchant, !${renderTime(createdAt)}, <span class="id">${id}</span>: ${status}, ${refundStatus[status]}!${reason === null ? '' : html`. Reason: !${isolateText(reason)}`}</div>`

const withFee = (amount: number, fee: number) =>
  fee === 0 ? formatMoney(amount) : `${formatMoney(amount)} + ${formatMoney(fee)} fee`

const phone = (masked: string) => html`<bdi dir="ltr">${masked}</bdi>`
