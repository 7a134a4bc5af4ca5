import { html } from 'ghtml'
import { findLatestLines } from '../audit/list.ts'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import { isolateText } from '../http/pages/text.ts'
import { deliveryDisplay, type PageField } from '../staff-acts/shown.ts'
import { hostOf } from '../webhooks/deliveries/delivery.ts'
import {
  lookUpEndpoint,
  lookUpWithResponses,
  type StaffAttempt,
  type StaffDelivery,
} from '../webhooks/deliveries/look-up.ts'
import { deliveryUrl, lastSentHeaders } from '../webhooks/deliveries/present.ts'
import { deliveryBadge, describeAttempt, environmentBadge, formatDuration, renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import { businessLink, endpointPath, idLink, resolveSource, textLink } from './paths.ts'
import { requeueButton, requeueNotice } from './requeue.ts'
import { adviceCard } from './sentences/advice.ts'
import { deliveryAdvice } from './sentences/webhook-advice.ts'
import { renderFacts, renderTable } from './table.ts'
import { type NumberedAttempt, numberAttempts, renderAction } from './timeline.ts'
import { describeDelivery } from './webhooks.ts'

/** Hides responses that echo data that support staff may not see. */
export const deliveryPage: StaffPage<
  'AuditEvent' | 'Business' | 'Delivery' | 'Endpoint' | 'Intent' | 'Order' | 'config' | 'now' | 'secrets'
> = async (deps, { id, query, staff }) => {
  const delivery = await lookUpWithResponses(deps, id)
  if (delivery === null) return null
  const [business, endpoint, trail] = await Promise.all([
    lookUpBusiness(deps, delivery.businessId),
    lookUpEndpoint(deps, delivery.endpointId),
    findLatestLines(deps, [id]),
  ])
  const acts = trail.map((line) => html`<li>!${renderTime(line.at)}: !${renderAction(line)}</li>`)
  const source = resolveSource(delivery.referenceNumber)
  const body = html`<h1>${delivery.event} to !${isolateText(hostOf(delivery))}</h1>
    !${requeueNotice(query)}
    <div class="card">
      <p class="lead">!${deliveryBadge(delivery.status)} !${environmentBadge(delivery.sandbox)} !${describeDelivery(deps, delivery)}</p>
      !${requeueButton(delivery, endpoint ?? undefined, staff, 'delivery')}
    </div>
    !${adviceCard(deliveryAdvice(delivery, endpoint ?? undefined))}
    <dl class="facts">
      !${renderFacts(delivery, [deliveryDisplay.id])}
      <dt>${source.kind}</dt><dd>!${idLink(source.path, delivery.referenceNumber)}</dd>
      <dt>Business</dt><dd>!${businessLink(delivery.businessId, business?.name)}</dd>
      <dt>Endpoint</dt><dd>!${textLink(endpointPath(delivery.endpointId), deliveryUrl(delivery))}</dd>
      !${renderFacts(delivery, [deliveryDisplay.createdAt, deliveryDisplay.request])}
    </dl>
    <h2>Attempts</h2>
    !${attempts(delivery)}
    !${headers(lastSentHeaders(deps, delivery))}
    <h2>Re-queued</h2>
    !${acts.length === 0 ? html`<p>This delivery has not been re-queued.</p>` : html`<ul>!${acts}</ul>`}`
  return { title: `${delivery.event} to ${hostOf(delivery)}`, body }
}

function attempts(delivery: StaffDelivery) {
  const made = numberAttempts(delivery)
  const [first] = made
  if (first === undefined) return html`<p>No attempts yet.</p>`
  const cut = html`<p class="faint">Attempts before number ${first.number} are no longer stored.</p>`
  return html`!${renderTable(attemptColumns(deliveryUrl(delivery)), made.toReversed(), { isTight: true })}
    !${first.number > 1 ? cut : ''}`
}

const headers = (sent: Record<string, string> | null) =>
  sent === null
    ? ''
    : html`<details>
    <summary>Headers of the last attempt, without its signatures</summary>
    <pre>${Object.entries(sent)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}</pre>
  </details>`

const attemptColumns = (usualUrl: string): PageField<NumberedAttempt<StaffAttempt>>[] => [
  { label: 'Attempt', value: ({ number }) => number },
  { label: 'Time', value: ({ attempt }) => attempt.at },
  { label: 'Duration', value: ({ attempt }) => formatDuration(attempt.durationMs) },
  {
    label: 'Result',
    html: ({ attempt }) => html`!${isolateText(describeAttempt(attempt))}
      !${attempt.url === usualUrl ? '' : html`<div class="faint">Sent to !${isolateText(attempt.url)}</div>`}
      !${response(attempt)}`,
  },
]

function response({ status, responseText: text, isHidden }: StaffAttempt) {
  if (status === null) return ''
  if (isHidden)
    return html`<div class="faint">Hidden: the response contains event data that support staff may not see.</div>`
  if (text === undefined) return html`<div class="faint">The response is no longer stored.</div>`
  if (text === null || text === '') return html`<div class="faint">The response had no body.</div>`
  return html`<details>
    <summary>Response (first 1024 bytes)</summary>
    <pre><bdi>${text}</bdi></pre>
  </details>`
}
