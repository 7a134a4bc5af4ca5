import { html } from 'ghtml'
import type { Span } from '../../input/span.ts'
import { mayStaff } from '../../staff/permissions.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import { hostOf } from '../../webhooks/deliveries/delivery.ts'
import type { ListedDelivery, TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { endpointStateOf } from '../sentences/endpoint-advice.ts'
import { requeueRemedy } from '../sentences/endpoint-sentences.ts'
import { csrfField } from './layout.ts'
import { deliveryPath, endpointPath } from './paths.ts'
import { spanFields, withQuery } from './query.ts'
import { userText } from './words.ts'

/**
 * Returns the button that re-queues one delivery. If the endpoint is disabled or deleted, returns the remedy instead.
 * Returns an empty string if the member of staff may only view pages, if the delivery succeeded, or if its first
 * attempt has not been made yet. `back` selects the page to return to: the delivery's own page, or the page of its
 * payment or order. `endpoint` is undefined if it no longer exists.
 */
export function requeueButton(
  delivery: ListedDelivery,
  endpoint: TracedEndpoint | undefined,
  staff: SignedIn,
  back: 'source' | 'delivery',
): string {
  if (delivery.status === 'DELIVERED' || delivery.status === 'PENDING') return ''
  const button = html`<form method="post" action="${deliveryPath(delivery._id)}/requeue">
    !${csrfField(staff)}<input type="hidden" name="back" value="${back}" />
    <button>Re-queue<span class="unseen">: ${delivery.event} to !${userText(hostOf(delivery))}</span></button>
  </form>`
  return remedyOr(requeueRemedy[endpointStateOf(endpoint)], staff, button)
}

/** Returns the remedy or, if there is none, a button or link, which staff who may only view pages do not see. */
export function remedyOr(remedy: string | null, staff: SignedIn, control: string): string {
  if (remedy !== null) return html`<p>${remedy}</p>`
  return mayStaff(staff, 'requeue-deliveries') ? control : ''
}

/**
 * Returns the link to the page that re-queues all of an endpoint's deliveries that died within a time span. If the
 * endpoint is disabled or deleted, returns the remedy instead. Returns an empty string if the member of staff may only
 * view pages.
 */
export function requeueAllLink(
  endpointId: string,
  endpoint: TracedEndpoint | undefined,
  span: Span,
  staff: SignedIn,
  label: string,
): string {
  const path = withQuery(`${endpointPath(endpointId)}/requeue-all`, spanFields(span))
  const link = html`<p><a class="button" href="${path}">${label}…</a></p>`
  return remedyOr(requeueRemedy[endpointStateOf(endpoint)], staff, link)
}
