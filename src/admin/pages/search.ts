import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { type Backlog, countBacklog } from '../../webhooks/deliveries/backlog.ts'
import { shownDeadMs } from '../../webhooks/deliveries/dead-in.ts'
import { type DeliveryHour, hourMs, hourOf } from '../../webhooks/deliveries/delivery-hour.ts'
import { searchForms } from '../search/search-forms.ts'
import { staffOf } from './guards.ts'
import { page } from './layout.ts'
import { plots } from './plots.ts'
import { atMost } from './words.ts'

const shownHours = 24
const dayMs = 86_400_000

/** Handles GET requests for the start page, which has the search forms. */
export const searchPage = (deps: Deps) => async (_req: Request, res: Response) => {
  const [hours, backlog] = await Promise.all([lastHours(deps, shownHours), countBacklog(deps)])
  const staff = staffOf(res)
  const body = html`<h1>Search</h1>
    !${searchForms(staff, '', null)}
    <h2>Last ${shownHours} hours</h2>
    !${plots(hours)}
    <h2>Now</h2>
    !${backlogFacts(backlog)}`
  sendPage(res, 200, page({ title: 'Search', staff, current: '/admin' }, body))
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
