import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { trailOf } from '../../audit/list.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { asOf } from '../../intents/present.ts'
import { eventsSoFar, lookUpIntent, type TracedIntent } from '../../intents/search.ts'
import { eventIdOf } from '../../webhooks/deliveries/delivery-id.ts'
import {
  deliveriesOf,
  endpointsOfDeliveries,
  type ListedDelivery,
  maxPerPayment,
} from '../../webhooks/deliveries/look-up.ts'
import { adviceCard } from '../sentences/advice.ts'
import { paymentAdvice } from '../sentences/payment-advice.ts'
import { environmentBadge } from './badges.ts'
import { requeueNotice } from './notice.ts'
import { openOutcomes, paymentFacts } from './payment-facts.ts'
import { sendNotFound, sendStaffPage, staffOf } from './respond.ts'
import { cleanedAway, deliveryCards, notSubscribed, notYetSent } from './source-webhooks.ts'
import { timeline } from './timeline.ts'

/** Handles GET requests for a payment intent's page, which also shows the intent's webhooks and a timeline. */
export const paymentPage = (deps: Deps) => async (req: Request<{ reference: string }>, res: Response) => {
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
    trailOf(deps, deliveryIds),
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
function missingDeliveries(deps: Deps, stored: TracedIntent, deliveries: ListedDelivery[]): string {
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
