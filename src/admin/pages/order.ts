import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { lookUpOrder, type TracedOrder } from '../../store/orders/look-up.ts'
import { deliveriesOf, type ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { environmentBadge } from './badges.ts'
import { cleanedAway } from './cleaned-away.ts'
import { deliveryCard } from './delivery-card.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { saidOfOne } from './notice.ts'
import { businessPath } from './paths.ts'
import { sendNotFound } from './respond.ts'
import { foreign, money } from './words.ts'

/** GET: an order of a store, and what became of its webhooks. */
export const orderPage = (deps: Deps) => async (req: Request<{ number: string }>, res: Response) => {
  const { number } = req.params
  const order = await lookUpOrder(deps, number)
  if (order === null) return sendNotFound(res)
  // Only now: an event leaves the order after its deliveries were made, so that it is always seen in one of the two.
  const deliveries = await deliveriesOf(deps, number)
  const business = await lookUpBusiness(deps, order.businessId)
  const staff = staffOf(res)
  const body = html`<h1><span class="id">${number}</span> !${environmentBadge(order.sandbox)}</h1>
    !${saidOfOne(req.query)}
    <h2>What happened to its webhooks</h2>
    !${untold(deps, order, deliveries)}
    !${deliveries.map((delivery) => deliveryCard(deps, delivery, staff))}
    <h2>The order</h2>
    !${facts(order, business)}`
  sendPage(res, 200, page({ title: number, staff, current: null }, body))
}

/** The event of an order that has no delivery: not handed on yet, or nobody wanted it. */
function untold(deps: Deps, order: TracedOrder, deliveries: ListedDelivery[]): string {
  const [waiting] = order.outbox
  if (waiting !== undefined)
    return html`<p class="notice"><b>${waiting.event}</b> happened !${time(waiting.createdAt)} and waits to be handed to the receivers.</p>`
  if (deliveries.length > 0) return ''
  const cleaned = cleanedAway(deps, order)
  if (cleaned !== null) return cleaned
  return html`<p class="notice">No active endpoint was subscribed to <b>order.new</b> then: nothing was sent.</p>`
}

const facts = (
  { businessId, status, items, total, createdAt }: TracedOrder,
  business: Business | null,
): string =>
  html`<dl class="facts card">
    <dt>Merchant</dt><dd><a href="${businessPath(businessId)}">!${foreign(business?.name ?? businessId)}</a></dd>
    <dt>Status</dt><dd>${status}</dd>
    <dt>Items</dt><dd>!${items.map(item)}</dd>
    <dt>Total</dt><dd>${money(total)}</dd>
    <dt>Placed</dt><dd>!${time(createdAt)}</dd>
  </dl>`

const item = ({ name, variantLabel, quantity, unitPrice }: TracedOrder['items'][number]): string =>
  html`<div>${quantity} × !${foreign(name)}, !${foreign(variantLabel)}, at ${money(unitPrice)}</div>`
