import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { anyTime } from '../../input/span.ts'
import { countDeadOf } from '../../webhooks/deliveries/backlog.ts'
import { latestDeadOf, lookUpEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { receiverBadge } from './badges.ts'
import { deliveriesTable } from './deliveries-table.ts'
import { healthOf } from './endpoints-table.ts'
import { readFormSpan } from './form-span.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { saidOfAll } from './notice.ts'
import { businessPath } from './paths.ts'
import { sendAllButton } from './requeue-buttons.ts'
import { sendNotFound } from './respond.ts'
import { atMost, foreign } from './words.ts'

/** GET: one receiver, how it is doing, and its dead deliveries. */
export const endpointPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const endpoint = await lookUpEndpoint(deps, id)
  if (endpoint === null) return sendNotFound(res)
  const [business, dead, deadCount] = await Promise.all([
    lookUpBusiness(deps, endpoint.businessId),
    latestDeadOf(deps, id),
    countDeadOf(deps, id, anyTime),
  ])
  const staff = staffOf(res)
  const goOn = sendAllButton(id, spanToGoOn(deps, req.query), staff, 'Go on with those left')
  const body = html`<h1>Receiver !${foreign(new URL(endpoint.url).host)} !${receiverBadge(endpoint)}</h1>
    !${saidOfAll(req.query, goOn)}
    <dl class="facts card">
      <dt>Business</dt><dd><a href="${businessPath(endpoint.businessId)}">!${foreign(business?.name ?? endpoint.businessId)}</a></dd>
      <dt>Address</dt><dd>!${foreign(endpoint.url)}</dd>
      <dt>Events</dt><dd>${endpoint.events.join(', ')}</dd>
      <dt>Health</dt><dd>!${healthOf(endpoint)}</dd>
      <dt>Made</dt><dd>!${time(endpoint.createdAt)}</dd>
      !${endpoint.deletedAt === null ? '' : html`<dt>Deleted</dt><dd>!${time(endpoint.deletedAt)}</dd>`}
      <dt>Id</dt><dd class="id">${id}</dd>
    </dl>
    <h2>Dead deliveries: ${atMost(deadCount)}</h2>
    !${dead.length === 0 ? '' : sendAllButton(id, anyTime, staff, 'Send all again')}
    !${dead.length === 0 ? html`<p>None.</p>` : deliveriesTable('Those that died last', dead)}`
  const title = `Receiver ${new URL(endpoint.url).host}`
  sendPage(res, 200, page({ title, staff, current: null }, body))
}

/** Of an act that ran out of time: which part of the time it was about. */
function spanToGoOn(deps: Deps, { said, from = '', to = '' }: Request['query']) {
  return said === 'all' ? readFormSpan(deps, { from, to }) : anyTime
}
