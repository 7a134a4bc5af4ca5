import { html } from 'ghtml'
import { latestLinesAbout } from '../audit/list.ts'
import type { Business } from '../businesses/business.ts'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import { isPending } from '../intents/lifecycle.ts'
import { asOf } from '../intents/present.ts'
import type { Refund } from '../intents/records.ts'
import { eventsSoFar, lookUpIntent, type TracedIntent } from '../intents/search.ts'
import { orderShown, paymentShown } from '../staff-acts/shown.ts'
import { lookUpOrder, type TracedOrder } from '../store/orders/read.ts'
import { deliveriesOf } from '../webhooks/deliveries/look-up.ts'
import { environmentBadge, formatMoney, reasonInWords, time, userText, walletInWords } from './format.ts'
import type { StaffPage } from './guards.ts'
import { businessLink } from './paths.ts'
import { requeueNotice } from './requeue.ts'
import { adviceCard } from './sentences/advice.ts'
import { paymentAdvice } from './sentences/payment-advice.ts'
import { factsOf } from './table.ts'
import { renderPaymentTimeline } from './timeline.ts'
import { webhooksSection } from './webhooks.ts'

type Reads = 'Business' | 'Delivery' | 'Endpoint' | 'config' | 'now' | 'secrets'

const heading = (id: string, { sandbox }: { sandbox: boolean }): string =>
  html`<h1><span class="id">${id}</span> !${environmentBadge(sandbox)}</h1>`

export const paymentPage: StaffPage<Reads | 'AuditEvent' | 'Intent'> = async (deps, { id, query, staff }) => {
  const now = deps.now()
  const stored = await lookUpIntent(deps, id)
  if (stored === null) return null
  // Deliveries are read after the intent, because events leave its outbox only once their deliveries exist.
  const deliveries = await deliveriesOf(deps, id)
  const deliveryIds = deliveries.map(({ _id }) => _id)
  const [business, trail, webhooks] = await Promise.all([
    lookUpBusiness(deps, stored.businessId),
    latestLinesAbout(deps, deliveryIds),
    webhooksSection(deps, stored, eventsSoFar(stored), deliveries, staff),
  ])
  const intent = asOf(stored, now)
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
  // Deliveries are read after the order, for the same reason as on a payment's page.
  const deliveries = await deliveriesOf(deps, id)
  const [business, webhooks] = await Promise.all([
    lookUpBusiness(deps, order.businessId),
    webhooksSection(deps, order, ['order.new'], deliveries, staff),
  ])
  const body = html`!${heading(id, order)}
    !${requeueNotice(query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(order.businessId, business?.name)}</dd>
      !${factsOf(order, [orderShown.status])}
      <dt>Items</dt><dd>!${order.items.map(item)}</dd>
      !${factsOf(order, [orderShown.total, orderShown.createdAt])}
    </dl>
    !${webhooks}`
  return { title: id, body }
}

const item = ({ name, variantLabel, quantity, unitPrice }: TracedOrder['items'][number]): string =>
  html`<div>${quantity} × !${userText(name)}, !${userText(variantLabel)}, at ${formatMoney(unitPrice)}</div>`

/** Returns notices about a payment and refunds whose outcome is still unknown. */
function openOutcomes({ hold: payment, refunds }: TracedIntent): string {
  const paying =
    payment === null
      ? ''
      : html`<p class="notice"><b>A payment is in progress</b> since !${time(payment.startedAt)}: ${withFee(payment.amount, payment.commission.payerTtc)} by
          !${phone(payment.payerPhone)} through the ${walletInWords(payment.wallet)}, payment key: <span class="id">${payment.id}</span>. Until the
          outcome is known, no one else can pay, the merchant cannot cancel, and the payment intent does not expire. The service will next check the
          outcome with the wallet at !${time(payment.queryAt)}.</p>`
  const refunding = refunds
    .filter(({ status }) => status === 'PENDING')
    .map(
      ({ id, amount, returnedFees, createdAt, queryAt, validUntil }) =>
        html`<p class="notice"><b>A refund is in progress</b> since !${time(createdAt)}: ${withFee(amount, returnedFees.payerTtc)}, <span class="id">${id}</span>. It is not known
          yet whether the customer received the money. The service checks with the wallet at !${time(queryAt ?? validUntil)}.</p>`,
    )
  return [paying, ...refunding].join('')
}

/** `intent` must have its current status (`asOf`). */
const paymentFacts = (intent: TracedIntent, business: Business | null): string =>
  html`<dl class="facts card">
    <dt>Business</dt><dd>!${businessLink(intent.businessId, business?.name)}</dd>
    <dt>Amount</dt><dd>${amountOf(intent)}</dd>
    !${factsOf(intent, [paymentShown.status])}
    !${intent.label === null ? '' : html`<dt>Label</dt><dd>!${userText(intent.label)}</dd>`}
    !${intent.merchantReference === null ? '' : html`<dt>Merchant's reference</dt><dd>!${userText(intent.merchantReference)}</dd>`}
    !${paid(intent)}
    !${intent.refunds.length === 0 ? '' : html`<dt>Refunds</dt><dd>!${intent.refunds.map(refund)}</dd>`}
    !${failure(intent)}
    !${factsOf(intent, [paymentShown.createdAt, paymentShown.expiresAt])}
  </dl>`

const amountOf = ({ amountType, amount }: TracedIntent): string =>
  amountType === 'OPEN' || amount === null ? 'open: the customer chooses' : formatMoney(amount)

function paid({ payment }: TracedIntent): string {
  if (payment === null) return ''
  const { amountPaid, method, paidAt, payerPhone, wallet, key, commission } = payment
  const { providerTtc, payerTtc, tof, tte, totalRevenue } = commission
  return html`<dt>Paid</dt><dd>${withFee(amountPaid, payerTtc)} by ${method}, !${time(paidAt)}</dd>
    <dt>Customer</dt><dd>!${phone(payerPhone)}</dd>
    <dt>Wallet</dt><dd>${walletInWords(wallet)}; payment key: <span class="id">${key}</span></dd>
    <dt>Commission</dt><dd>merchant ${formatMoney(providerTtc)}, customer ${formatMoney(payerTtc)}; including taxes ${formatMoney(tof)} + ${formatMoney(tte)}; revenue ${formatMoney(totalRevenue)}</dd>`
}

function failure({ failure: last, status }: TracedIntent): string {
  if (last === null) return ''
  const then = last.retryable && isPending(status) ? 'the customer can try again' : 'it can no longer be paid'
  return html`<dt>Failed</dt><dd>${reasonInWords(last.code)}; ${then}</dd>`
}

const refundStatus: Record<Refund['status'], string> = {
  PENDING: 'the outcome is not known yet',
  SUCCEEDED: 'the customer received the money',
}

const refund = ({ id, amount, returnedFees, reason, status, createdAt }: Refund): string =>
  html`<div>${withFee(amount, returnedFees.payerTtc)} to the customer, fee of ${formatMoney(returnedFees.providerTtc)} to the merchant, !${time(createdAt)}, <span class="id">${id}</span>: ${status}, ${refundStatus[status]}!${reason === null ? '' : html`. Reason: !${userText(reason)}`}</div>`

const withFee = (amount: number, fee: number): string =>
  fee === 0 ? formatMoney(amount) : `${formatMoney(amount)} + ${formatMoney(fee)} fee`

/** A masked phone number always reads from left to right. */
const phone = (masked: string): string => html`<bdi dir="ltr">${masked}</bdi>`
