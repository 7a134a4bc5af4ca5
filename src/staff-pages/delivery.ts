import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { AuditEvent } from '../audit/audit-event.ts'
import { latestLinesAbout } from '../audit/list.ts'
import type { Business } from '../businesses/business.ts'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import type { Deps } from '../platform/deps.ts'
import { hostOf } from '../webhooks/deliveries/delivery.ts'
import {
  lookUpEndpoint,
  lookUpResponses,
  type TracedAttempt,
  type TracedDelivery,
} from '../webhooks/deliveries/look-up.ts'
import { lastHeaders, lastUrl } from '../webhooks/deliveries/present.ts'
import { deliveryBadge, environmentBadge } from './badges.ts'
import { sendNotFound, sendStaffPage, staffOf, time } from './layout.ts'
import { businessLink, endpointPath, idLink, sourceOf, userLink } from './paths.ts'
import { requeueButton, requeueNotice } from './requeue.ts'
import { adviceCard } from './sentences/advice.ts'
import { deliveryAdvice } from './sentences/delivery-advice.ts'
import { type Column, table } from './table.ts'
import { actOf, type Numbered, numbered } from './timeline.ts'
import { whatHappened } from './webhooks.ts'
import { duration, outcomeOf, userText } from './words.ts'

/**
 * Handles GET requests for a delivery's page, which shows the delivery's attempts and re-queues. The page does not show
 * the payload. It also hides each response in which an endpoint repeats data from the payload that support staff may
 * not see.
 */
export const deliveryPage =
  (
    deps: Pick<
      Deps,
      'AuditEvent' | 'Business' | 'Delivery' | 'Endpoint' | 'Intent' | 'Order' | 'config' | 'now' | 'secrets'
    >,
  ) =>
  async (req: Request<{ id: string }>, res: Response) => {
    const delivery = await lookUpResponses(deps, req.params.id)
    if (delivery === null) return sendNotFound(res)
    const [business, endpoint, trail] = await Promise.all([
      lookUpBusiness(deps, delivery.businessId),
      lookUpEndpoint(deps, delivery.endpointId),
      latestLinesAbout(deps, [delivery._id]),
    ])
    const body = html`<h1>${delivery.event} to !${userText(hostOf(delivery))}</h1>
    !${requeueNotice(req.query)}
    <div class="card">
      <p class="lead">!${deliveryBadge(delivery.status)} !${environmentBadge(delivery.sandbox)} !${whatHappened(deps, delivery)}</p>
      !${requeueButton(delivery, endpoint ?? undefined, staffOf(res), 'delivery')}
    </div>
    !${adviceCard(deliveryAdvice(delivery, endpoint ?? undefined))}
    !${facts(delivery, business)}
    <h2>Attempts</h2>
    !${attempts(delivery)}
    !${headers(lastHeaders(deps, delivery))}
    <h2>Re-queued</h2>
    !${acts(trail)}`
    const title = `${delivery.event} to ${hostOf(delivery)}`
    sendStaffPage(res, { title }, body)
  }

/** Staff can search the log for the id of the API request. A delivery that a job caused has no such id. */
function facts(delivery: TracedDelivery, business: Business | null): string {
  const { _id, referenceNumber, businessId, endpointId, createdAt, requestId } = delivery
  const { kind, path } = sourceOf(referenceNumber)
  return html`<dl class="facts">
    <dt>Delivery</dt><dd class="id">${_id}</dd>
    <dt>${kind}</dt><dd>!${idLink(path, referenceNumber)}</dd>
    <dt>Business</dt><dd>!${businessLink(businessId, business?.name)}</dd>
    <dt>Endpoint</dt><dd>!${userLink(endpointPath(endpointId), lastUrl(delivery))}</dd>
    <dt>Created</dt><dd>!${time(createdAt)}</dd>
    !${requestId === undefined ? '' : html`<dt>Request</dt><dd class="id">${requestId}</dd>`}
  </dl>`
}

function attempts(delivery: TracedDelivery): string {
  const made = numbered(delivery)
  const [first] = made
  if (first === undefined) return html`<p>No attempts yet.</p>`
  const cut = html`<p class="faint">Attempts before number ${first.number} are no longer stored.</p>`
  return html`!${table(attemptColumns(lastUrl(delivery)), made.toReversed(), { isTight: true })}
    !${first.number > 1 ? cut : ''}`
}

const headers = (sent: Record<string, string> | null): string =>
  sent === null
    ? ''
    : html`<details>
    <summary>Headers of the last attempt, without its signatures</summary>
    <pre>${Object.entries(sent)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}</pre>
  </details>`

const attemptColumns = (usualUrl: string): Column<Numbered<TracedAttempt>>[] => [
  { title: 'Attempt', text: ({ number }) => number },
  { title: 'Time', html: ({ attempt }) => time(attempt.at) },
  { title: 'Duration', text: ({ attempt }) => duration(attempt.durationMs) },
  {
    title: 'Result',
    html: ({ attempt }) => html`!${userText(outcomeOf(attempt))}
      !${attempt.url === usualUrl ? '' : html`<div class="faint">Sent to !${userText(attempt.url)}</div>`}
      !${response(attempt)}`,
  },
]

function response({ status, responseText: text, isHidden }: TracedAttempt): string {
  if (status === null) return ''
  if (isHidden)
    return html`<div class="faint">Hidden: the response contains data of the event that support staff may not see.</div>`
  if (text === undefined) return html`<div class="faint">The response is no longer stored.</div>`
  if (text === null || text === '') return html`<div class="faint">The response had no body.</div>`
  return html`<details>
    <summary>Response (first 1024 bytes)</summary>
    <pre><bdi>${text}</bdi></pre>
  </details>`
}

function acts(trail: AuditEvent[]): string {
  if (trail.length === 0) return html`<p>This delivery has not been re-queued.</p>`
  return html`<ul>!${trail.map((line) => html`<li>!${time(line.at)}: !${actOf(line)}</li>`)}</ul>`
}
