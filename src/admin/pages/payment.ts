import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { EventName } from '../../../schemas/events.ts'
import { trailOf } from '../../audit/trail-of.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { eventsSoFar, lookUpIntent, type TracedIntent } from '../../intents/look-up.ts'
import { asOf } from '../../intents/present.ts'
import { eventIdOf } from '../../webhooks/deliveries/delivery-id.ts'
import { deliveriesOf, type ListedDelivery, mostOfOne } from '../../webhooks/deliveries/look-up.ts'
import { environmentBadge } from './badges.ts'
import { cleanedAway } from './cleaned-away.ts'
import { deliveryCard } from './delivery-card.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { saidOfOne } from './notice.ts'
import { hold, paymentFacts } from './payment-facts.ts'
import { sendNotFound } from './respond.ts'
import { timeline } from './timeline.ts'

/** GET: a payment, what became of its webhooks, and all of it in the order of time. */
export const paymentPage = (deps: Deps) => async (req: Request<{ reference: string }>, res: Response) => {
  const { reference } = req.params
  const now = deps.now()
  const stored = await lookUpIntent(deps, reference)
  if (stored === null) return sendNotFound(res)
  // Only now: an event leaves the intent after its deliveries were made, so that it is always seen in one of the two.
  const deliveries = await deliveriesOf(deps, reference)
  const [business, trail] = await Promise.all([
    lookUpBusiness(deps, stored.businessId),
    trailOf(
      deps,
      deliveries.map(({ _id }) => _id),
    ),
  ])
  const intent = asOf(stored, now)
  const staff = staffOf(res)
  const body = html`<h1><span class="id">${reference}</span> !${environmentBadge(intent.sandbox)}</h1>
    !${saidOfOne(req.query)}
    <h2>What happened to its webhooks</h2>
    !${untold(deps, stored, deliveries)}
    !${deliveries.map((delivery) => deliveryCard(deps, delivery, staff))}
    <h2>The payment</h2>
    !${hold(intent)}
    !${paymentFacts(intent, business)}
    <h2>Timeline</h2>
    !${timeline({ intent, deliveries, trail })}`
  sendPage(res, 200, page({ title: reference, staff, current: null }, body))
}

/** Events without a delivery: not handed on yet, or nobody wanted them. */
function untold(deps: Deps, stored: TracedIntent, deliveries: ListedDelivery[]): string {
  const waiting = stored.outbox.map(
    ({ event, createdAt }) =>
      html`<p class="notice"><b>${event}</b> happened !${time(createdAt)} and waits to be handed to the receivers.</p>`,
  )
  const cleaned = cleanedAway(deps, stored)
  if (cleaned !== null) return html`!${waiting}!${cleaned}`
  // There may be more of them than were read: then nobody can tell.
  if (deliveries.length === mostOfOne)
    return html`!${waiting}<p class="notice">Only the first ${mostOfOne} deliveries are shown.</p>`
  const handled = new Map(
    [
      ...stored.outbox.map(({ id, event }) => ({ id, event })),
      ...deliveries.map(({ _id, event }) => ({ id: eventIdOf(_id), event })),
    ].map(({ id, event }) => [id, event]),
  )
  const happened = eventsSoFar(stored)
  const unwanted = [...new Set(happened)].map((event) => {
    const times = happened.filter((name) => name === event).length
    return notWanted(event, times, times - [...handled.values()].filter((name) => name === event).length)
  })
  return [...waiting, ...unwanted].join('')
}

/** `missing`: how many of the `times` that an event happened nobody was told of. */
function notWanted(event: EventName, times: number, missing: number): string {
  if (missing < 1) return ''
  const when = times === 1 ? 'then' : `${missing} of the ${times} times that it happened`
  return html`<p class="notice">No active endpoint was subscribed to <b>${event}</b> ${when}: nothing was sent.</p>`
}
