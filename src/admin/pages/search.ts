import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { findBusinessesByName, lookUpBusiness, maxBusinesses } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { redirectTo, sendPage } from '../../http/pages/send-page.ts'
import { lookUpIntent } from '../../intents/look-up.ts'
import { isId, isOrderNumber } from '../../security/ids.ts'
import { lookUpOrder } from '../../store/orders/look-up.ts'
import { type Backlog, countBacklog } from '../../webhooks/deliveries/backlog.ts'
import { shownDeadMs } from '../../webhooks/deliveries/dead-in.ts'
import { type DeliveryHour, hourMs, hourOf } from '../../webhooks/deliveries/delivery-hour.ts'
import { isDeliveryId } from '../../webhooks/deliveries/delivery-id.ts'
import { lookUpDelivery, lookUpEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { staffOf } from './guards.ts'
import { page } from './layout.ts'
import { businessPath, deliveryPath, endpointPath, orderPath, paymentPath } from './paths.ts'
import { plots } from './plots.ts'
import { atMost, userText } from './words.ts'

/** The result of a search: the path of the only matching page, or a list of businesses to choose from. */
type Found = { path: string } | { businesses: Business[] }

/** The maximum length of a search text. No id or name is longer than this. */
const maxQueryLength = 200
/** A search by name requires at least this many characters, because any single letter occurs in too many names. */
const minPartLength = 2
const shownHours = 24
const dayMs = 86_400_000

/**
 * Handles GET requests for the start page, whose search field finds payments, orders, deliveries, endpoints and
 * businesses.
 */
export const searchPage = (deps: Deps) => async (req: Request, res: Response) => {
  const { q } = req.query
  const query = typeof q === 'string' ? q.trim().slice(0, maxQueryLength) : ''
  const found = await find(deps, query)
  if ('path' in found) return redirectTo(res, found.path)
  const [hours, backlog] = await Promise.all([lastHours(deps, shownHours), countBacklog(deps)])
  const body = html`<h1>Search</h1>
    !${form(query)}
    !${query === '' ? '' : results(query, found.businesses)}
    <h2>Last ${shownHours} hours</h2>
    !${plots(hours)}
    <h2>Now</h2>
    !${backlogFacts(backlog)}`
  sendPage(res, 200, page({ title: 'Search', staff: staffOf(res), current: '/admin' }, body))
}

async function find(deps: Deps, query: string): Promise<Found> {
  const path = await findById(deps, query)
  if (path !== null) return { path }
  const isPart = query.length >= minPartLength && query.isWellFormed() && !query.includes('\0')
  const businesses = isPart ? await findBusinessesByName(deps, query) : []
  const [only, ...others] = businesses
  return only !== undefined && others.length === 0 ? { path: businessPath(only._id) } : { businesses }
}

/**
 * Returns the path of the page for this reference or id, or null if there is no such page. Only delivery ids are
 * case-sensitive.
 */
async function findById(deps: Deps, query: string): Promise<string | null> {
  const [reference, id] = [query.toUpperCase(), query.toLowerCase()]
  if (/^PI-[0-9A-Z]+$/.test(reference))
    return (await lookUpIntent(deps, reference)) === null ? null : paymentPath(reference)
  if (isOrderNumber(reference))
    return (await lookUpOrder(deps, reference)) === null ? null : orderPath(reference)
  if (isDeliveryId(query) && (await lookUpDelivery(deps, query)) !== null) return deliveryPath(query)
  if (!isId(id)) return null
  const [endpoint, business] = await Promise.all([lookUpEndpoint(deps, id), lookUpBusiness(deps, id)])
  if (endpoint !== null) return endpointPath(id)
  return business === null ? null : businessPath(id)
}

const form = (query: string): string =>
  html`<form class="filter card" role="search" action="/admin">
    <div class="whole">
      <label for="q">Payment reference, id or business</label>
      <input id="q" name="q" type="search" value="${query}" maxlength="${maxQueryLength}" autocomplete="off" spellcheck="false" placeholder="PI-…" !${query === '' ? 'autofocus' : ''} aria-describedby="hint" />
    </div>
    <div class="act"><button class="main">Search</button></div>
    <p class="faint" id="hint">Enter a payment reference, an order number, the id of a delivery, an endpoint or a business, or part of the name of a business.</p>
  </form>`

function results(query: string, businesses: Business[]): string {
  if (businesses.length === 0)
    return html`<p class="notice" role="status">Nothing was found for <b>!${userText(query)}</b>. Enter a whole reference or id, or at least ${minPartLength} characters of the name of a business. Old test data is deleted.</p>`
  const more =
    businesses.length === maxBusinesses
      ? ` Only the first ${maxBusinesses} are shown. Enter more of the name.`
      : ''
  return html`<section class="card">
    <p role="status">${businesses.length} businesses have <b>!${userText(query)}</b> in their name.${more}</p>
    <ul>!${businesses.map(({ _id, name }) => html`<li><a href="${businessPath(_id)}">!${userText(name)}</a> <span class="id faint">${_id}</span></li>`)}</ul>
  </section>`
}

const backlogFacts = ({ due, waiting, dead }: Backlog): string =>
  html`<dl class="facts card">
    <dt>Due now</dt><dd>${atMost(due)}</dd>
    <dt>Waiting for the next attempt</dt><dd>${atMost(waiting)}</dd>
    <dt>Dead in the last ${shownDeadMs / dayMs} days</dt><dd>${atMost(dead)} <a href="/admin/dead">by business and endpoint</a></dd>
  </dl>`

/**
 * Returns the counts for the last `count` hours, which include the current hour. The oldest hour comes first. If no
 * attempts were made in an hour, its counts are zero.
 */
async function lastHours(deps: Pick<Deps, 'DeliveryHour' | 'now'>, count: number): Promise<DeliveryHour[]> {
  const current = hourOf(deps.now())
  const starts = Array.from({ length: count }, (_, index) => current - (count - 1 - index) * hourMs)
  const known = await deps.DeliveryHour.find({ _id: { $gte: new Date(starts[0] ?? current) } })
    .limit(count)
    .lean<DeliveryHour[]>()
  const byStart = new Map(known.map((hour) => [hour._id.getTime(), hour]))
  const nothing = { delivered: 0, retrying: 0, dead: 0 }
  return starts.map((start) => ({ ...nothing, ...byStart.get(start), _id: new Date(start) }))
}
