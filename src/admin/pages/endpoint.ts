import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { lookUpBusiness } from '../../businesses/list-businesses.ts'
import type { Deps } from '../../deps.ts'
import { anyTime, type Span } from '../../input/span.ts'
import { countDeadOf } from '../../webhooks/deliveries/backlog.ts'
import { latestDeadOf, lookUpEndpoint, type TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { latestReplays } from '../../webhooks/replays/find.ts'
import { actNotice } from '../acts/act-links.ts'
import { endpointActs } from '../acts/endpoint-acts.ts'
import { adviceCard, adviceCards } from '../sentences/advice.ts'
import { deadAdvice, endpointAdvice } from '../sentences/endpoint-advice.ts'
import { endpointBadge } from './badges.ts'
import { deliveriesTable } from './deliveries-table.ts'
import { healthOf, lastDayText } from './endpoints-table.ts'
import { time } from './layout.ts'
import { requeueAllNotice } from './notice.ts'
import { businessLink } from './paths.ts'
import { readFormSpan } from './query.ts'
import { replayLink, replaysTable } from './replays.ts'
import { requeueAllLink } from './requeue-buttons.ts'
import { sendNotFound, sendStaffPage, staffOf } from './respond.ts'
import { atMost, userText } from './words.ts'

/** Handles GET requests for an endpoint's page, which shows the endpoint's health and its dead deliveries. */
export const endpointPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const endpoint = await lookUpEndpoint(deps, id)
  if (endpoint === null) return sendNotFound(res)
  const [business, dead, deadCount, replays] = await Promise.all([
    lookUpBusiness(deps, endpoint.businessId),
    latestDeadOf(deps, id),
    countDeadOf(deps, id, anyTime),
    latestReplays(deps, id),
  ])
  const staff = staffOf(res)
  const continueLink = requeueAllLink(id, endpoint, spanToContinue(deps, req.query), staff, 'Re-queue the rest')
  const body = html`<h1>Endpoint !${userText(new URL(endpoint.url).host)} !${endpointBadge(endpoint)}</h1>
    !${requeueAllNotice(req.query, continueLink)}!${actNotice(endpointActs, endpoint, req.query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(endpoint.businessId, business?.name)}</dd>
      <dt>URL</dt><dd>!${userText(endpoint.url)}</dd>
      <dt>Events</dt><dd>${endpoint.events.join(', ')}</dd>
      <dt>Health</dt><dd>!${healthOf(endpoint)}</dd>
      <dt>Last 24 hours</dt><dd>!${lastDayText(endpoint, deps.now())}</dd>
      <dt>Created</dt><dd>!${time(endpoint.createdAt)}</dd>
      !${endpoint.deletedAt === null ? '' : html`<dt>Deleted</dt><dd>!${time(endpoint.deletedAt)}</dd>`}
      <dt>Id</dt><dd class="id">${id}</dd>
    </dl>
    !${wordsFor(endpoint, dead.length > 0)}
    <h2>Dead deliveries: ${atMost(deadCount)}</h2>
    !${dead.length === 0 ? '' : requeueAllLink(id, endpoint, anyTime, staff, 'Re-queue all')}
    !${dead.length === 0 ? html`<p>None.</p>` : deliveriesTable('Latest dead deliveries', dead)}
    <h2>Replays</h2>
    !${replayLink(endpoint, staff)}
    !${replaysTable(replays, staff)}`
  const title = `Endpoint ${new URL(endpoint.url).host}`
  sendStaffPage(res, { title }, body)
}

const wordsFor = (endpoint: TracedEndpoint, hasDead: boolean): string =>
  hasDead
    ? adviceCards({
        'About the endpoint': endpointAdvice(endpoint),
        'About its dead deliveries': deadAdvice(endpoint),
      })
    : adviceCard(endpointAdvice(endpoint))

/**
 * If the page is shown after a re-queue of the endpoint's dead deliveries, returns the time span of that re-queue, so
 * that staff can re-queue the remaining deliveries. Otherwise, returns an unlimited time span.
 */
const spanToContinue = (deps: Deps, query: Request['query']): Span =>
  query.result === 'all' ? readFormSpan(deps, query) : anyTime
