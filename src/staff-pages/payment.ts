import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { latestLinesAbout } from '../audit/list.ts'
import type { Business } from '../businesses/business.ts'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import { isPending } from '../intents/lifecycle.ts'
import { asOf } from '../intents/present.ts'
import type { Refund } from '../intents/records.ts'
import { eventsSoFar, lookUpIntent, type TracedIntent } from '../intents/search.ts'
import type { Deps } from '../platform/deps.ts'
import { eventIdOf } from '../webhooks/deliveries/delivery-job.ts'
import {
  deliveriesOf,
  endpointsOfDeliveries,
  type ListedDelivery,
  maxPerPayment,
} from '../webhooks/deliveries/look-up.ts'
import { environmentBadge } from './badges.ts'
import { sendNotFound, sendStaffPage, staffOf, time } from './layout.ts'
import { businessLink } from './paths.ts'
import { requeueNotice } from './requeue.ts'
import { adviceCard } from './sentences/advice.ts'
import { paymentAdvice } from './sentences/payment-advice.ts'
import { timeline } from './timeline.ts'
import { cleanedAway, deliveryCards, notSubscribed, notYetSent } from './webhooks.ts'
import { money, reasonInWords, userText, walletInWords } from './words.ts'

/** Handles GET requests for a payment intent's page, which also shows the intent's webhooks and a timeline. */
export const paymentPage =
  (
    deps: Pick<
      Deps,
      'AuditEvent' | 'Business' | 'Delivery' | 'Endpoint' | 'Intent' | 'config' | 'now' | 'secrets'
    >,
  ) =>
  async (req: Request<{ reference: string }>, res: Response) => {
    const { reference } = req.params
    const now = deps.now()
    const stored = await lookUpIntent(deps, reference)
    if (stored === null) return sendNotFound(res)
    // The deliveries are read after the intent. An event leaves the outbox only once its deliveries exist, so no event
    // can be missing from the page.
    const deliveries = await deliveriesOf(deps, reference)
    const deliveryIds = deliveries.map(({ _id }) => _id)
    const [business, endpoints, trail] = await Promise.all([
      lookUpBusiness(deps, stored.businessId),
      endpointsOfDeliveries(deps, deliveries),
      latestLinesAbout(deps, deliveryIds),
    ])
    const intent = asOf(stored, now)
    const body = html`<h1><span class="id">${reference}</span> !${environmentBadge(intent.sandbox)}</h1>
    !${requeueNotice(req.query)}
    !${adviceCard(paymentAdvice(deps, intent, business, now))}
    <h2>Payment</h2>
    !${openOutcomes(intent)}
    !${paymentFacts(intent, business)}
    <h2>Webhooks</h2>
    !${missingDeliveries(deps, stored, deliveries)}
    !${deliveryCards(deps, deliveries, endpoints, staffOf(res))}
    <h2>Timeline</h2>
    !${timeline({ intent, deliveries, trail })}`
    sendStaffPage(res, { title: reference }, body)
  }

/**
 * Returns notices about events that have no deliveries, either because they are still in the outbox or because no
 * endpoint was subscribed to them.
 */
function missingDeliveries(
  deps: Pick<Deps, 'config' | 'now'>,
  stored: TracedIntent,
  deliveries: ListedDelivery[],
): string {
  const waiting = stored.outbox.map(notYetSent)
  const cleaned = cleanedAway(deps, stored)
  if (cleaned !== null) return html`!${waiting}!${cleaned}`
  // If the number of deliveries read equals the limit, there may be more deliveries. In that case, it is unknown which
  // events have no deliveries.
  if (deliveries.length === maxPerPayment)
    return html`!${waiting}<p class="notice">Only the first ${maxPerPayment} deliveries are shown.</p>`
  const handled = new Map([
    ...stored.outbox.map(({ id, event }) => [id, event] as const),
    ...deliveries.map(({ _id, event }) => [eventIdOf(_id), event] as const),
  ])
  const happened = eventsSoFar(stored)
  const notSent = [...new Set(happened)].map((event) => {
    const times = happened.filter((name) => name === event).length
    const missing = times - [...handled.values()].filter((name) => name === event).length
    if (missing < 1) return ''
    return notSubscribed(event, times === 1 ? undefined : `${missing} of the ${times} times that it happened`)
  })
  return [...waiting, ...notSent].join('')
}

/** Returns notices about an intent's payment and refunds if their outcomes are still unknown. */
function openOutcomes({ hold: payment, refunds }: TracedIntent): string {
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
const paymentFacts = (intent: TracedIntent, business: Business | null): string =>
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
