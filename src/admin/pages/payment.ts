import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { trailOf } from '../../audit/trail-of.ts'
import type { Business } from '../../businesses/business.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { eventsSoFar, lookUpIntent, type TracedIntent } from '../../intents/look-up.ts'
import { asOf } from '../../intents/present.ts'
import type { SignedIn } from '../../staff/session.ts'
import { deliveriesOfPayment, type ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { sendNotFound, sendPage } from './answer.ts'
import { deliveryBadge, environmentBadge } from './badges.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { businessPath, deliveryPath } from './paths.ts'
import { saidOfOne } from './said.ts'
import { sendAgainButton } from './send-again-buttons.ts'
import { timeline } from './timeline.ts'
import { whatHappened } from './what-happened.ts'
import { foreign, money } from './words.ts'

/** GET: a payment, what became of its webhooks, and all of it in the order of time. */
export const paymentPage = (deps: Deps) => async (req: Request<{ reference: string }>, res: Response) => {
  const { reference } = req.params
  const stored = await lookUpIntent(deps, reference)
  if (stored === null) return sendNotFound(res)
  // Only now: an event leaves the intent after its deliveries were made, so that it is always seen in one of the two.
  const deliveries = await deliveriesOfPayment(deps, reference)
  const [business, trail] = await Promise.all([
    lookUpBusiness(deps, stored.businessId),
    trailOf(
      deps,
      deliveries.map(({ _id }) => _id),
    ),
  ])
  const intent = asOf(stored, deps.now())
  const staff = staffOf(res)
  const body = html`<h1><span class="id">${reference}</span> !${environmentBadge(intent.sandbox)}</h1>
    !${saidOfOne(req.query)}
    <h2>What happened to its webhooks</h2>
    !${untold(stored, deliveries)}
    !${deliveries.map((delivery) => card(deps, delivery, staff))}
    <h2>The payment</h2>
    !${facts(intent, business)}
    <h2>Timeline</h2>
    !${timeline({ intent, deliveries, trail })}`
  sendPage(res, 200, page({ title: reference, staff, current: null }, body))
}

/** Events without a delivery: not handed on yet, or nobody wanted them. */
function untold(stored: TracedIntent, deliveries: ListedDelivery[]): string {
  const waiting = stored.outbox.map(
    ({ event, createdAt }) =>
      html`<p class="notice"><b>${event}</b> happened !${time(createdAt)} and waits to be handed to the receivers.</p>`,
  )
  const handled = new Set([...stored.outbox, ...deliveries].map(({ event }) => event))
  const unwanted = eventsSoFar(stored)
    .filter((event) => !handled.has(event))
    .map(
      (event) =>
        html`<p class="notice">No active endpoint was subscribed to <b>${event}</b> then: nothing was sent.</p>`,
    )
  return [...waiting, ...unwanted].join('')
}

const card = (deps: Deps, delivery: ListedDelivery, staff: SignedIn): string =>
  html`<article class="card">
    <h3><a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${foreign(delivery.url)} !${deliveryBadge(delivery.status)}</h3>
    <p class="lead">!${whatHappened(deps, delivery)}</p>
    !${sendAgainButton(delivery, staff, 'payment')}
  </article>`

const facts = (intent: TracedIntent, business: Business | null): string =>
  html`<dl class="facts card">
    <dt>Merchant</dt><dd><a href="${businessPath(intent.businessId)}">!${foreign(business?.name ?? intent.businessId)}</a></dd>
    <dt>Amount</dt><dd>${amountOf(intent)}</dd>
    <dt>Status</dt><dd>${intent.status}</dd>
    !${intent.label === null ? '' : html`<dt>Label</dt><dd>!${foreign(intent.label)}</dd>`}
    !${intent.payment === null ? '' : html`<dt>Paid</dt><dd>${money(intent.payment.amountPaid)} by ${intent.payment.method}, !${time(intent.payment.paidAt)}</dd>`}
    <dt>Created</dt><dd>!${time(intent.createdAt)}</dd>
    <dt>Expires</dt><dd>!${time(intent.expiresAt)}</dd>
  </dl>`

const amountOf = ({ amountType, amount }: TracedIntent): string =>
  amountType === 'OPEN' || amount === null ? 'open: the customer chooses' : money(amount)
