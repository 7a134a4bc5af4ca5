import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../businesses/business.ts'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import type { Deps } from '../platform/deps.ts'
import { lookUpOrder, type TracedOrder } from '../store/orders/read.ts'
import { deliveriesOf, endpointsOfDeliveries, type ListedDelivery } from '../webhooks/deliveries/look-up.ts'
import { environmentBadge } from './badges.ts'
import { sendNotFound, sendStaffPage, staffOf, time } from './layout.ts'
import { businessLink } from './paths.ts'
import { requeueNotice } from './requeue.ts'
import { cleanedAway, deliveryCards, notSubscribed, notYetSent } from './webhooks.ts'
import { money, userText } from './words.ts'

/** Handles GET requests for an order's page, which also shows the order's webhooks. */
export const orderPage =
  (deps: Pick<Deps, 'Business' | 'Delivery' | 'Endpoint' | 'Order' | 'config' | 'now' | 'secrets'>) =>
  async (req: Request<{ number: string }>, res: Response) => {
    const { number } = req.params
    const order = await lookUpOrder(deps, number)
    if (order === null) return sendNotFound(res)
    // Read after the order: an event leaves the outbox only once its deliveries exist, so the page misses none.
    const deliveries = await deliveriesOf(deps, number)
    const [business, endpoints] = await Promise.all([
      lookUpBusiness(deps, order.businessId),
      endpointsOfDeliveries(deps, deliveries),
    ])
    const body = html`<h1><span class="id">${number}</span> !${environmentBadge(order.sandbox)}</h1>
    !${requeueNotice(req.query)}
    !${facts(order, business)}
    <h2>Webhooks</h2>
    !${missingDelivery(deps, order, deliveries)}
    !${deliveryCards(deps, deliveries, endpoints, staffOf(res))}`
    sendStaffPage(res, { title: number }, body)
  }

/**
 * Returns a notice if the order's event has no delivery, either because the event is still in the outbox or because no
 * endpoint was subscribed to it.
 */
function missingDelivery(
  deps: Pick<Deps, 'config' | 'now'>,
  order: TracedOrder,
  deliveries: ListedDelivery[],
): string {
  const [waiting] = order.outbox
  if (waiting !== undefined) return notYetSent(waiting)
  return deliveries.length > 0 ? '' : (cleanedAway(deps, order) ?? notSubscribed('order.new'))
}

const facts = (
  { businessId, status, items, total, createdAt }: TracedOrder,
  business: Business | null,
): string =>
  html`<dl class="facts card">
    <dt>Business</dt><dd>!${businessLink(businessId, business?.name)}</dd>
    <dt>Status</dt><dd>${status}</dd>
    <dt>Items</dt><dd>!${items.map(item)}</dd>
    <dt>Total</dt><dd>${money(total)}</dd>
    <dt>Placed</dt><dd>!${time(createdAt)}</dd>
  </dl>`

const item = ({ name, variantLabel, quantity, unitPrice }: TracedOrder['items'][number]): string =>
  html`<div>${quantity} × !${userText(name)}, !${userText(variantLabel)}, at ${money(unitPrice)}</div>`
