import { html } from 'ghtml'
import type { Span } from '../../input/span.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import { mayStaff } from '../../staff/permissions.ts'
import { hostOf } from '../../webhooks/deliveries/delivery.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { spanFields } from './form-span.ts'
import { csrfField } from './layout.ts'
import { deliveryPath, endpointPath } from './paths.ts'
import { userText } from './words.ts'

/**
 * Returns the button that re-queues one delivery. Returns an empty string if the member of staff may only view pages,
 * if the delivery succeeded, or if its first attempt has not been made yet. `back` selects the page to return to: the
 * delivery's own page, or the page of its payment or order.
 */
export function requeueButton(
  delivery: ListedDelivery,
  staff: SignedIn,
  back: 'source' | 'delivery',
): string {
  if (!mayStaff(staff, 'requeue-deliveries')) return ''
  if (delivery.status === 'DELIVERED' || delivery.status === 'PENDING') return ''
  return html`<form method="post" action="${deliveryPath(delivery._id)}/requeue">
    !${csrfField(staff)}<input type="hidden" name="back" value="${back}" />
    <button>Re-queue<span class="unseen">: ${delivery.event} to !${userText(hostOf(delivery))}</span></button>
  </form>`
}

/**
 * Returns the button that re-queues all of an endpoint's deliveries that died within a time span. Returns an empty
 * string if the member of staff may only view pages.
 */
export function requeueAllButton(endpointId: string, span: Span, staff: SignedIn, label: string): string {
  if (!mayStaff(staff, 'requeue-deliveries')) return ''
  return html`<form method="post" action="${endpointPath(endpointId)}/requeue-all">
    !${csrfField(staff)}
    !${Object.entries(spanFields(span)).map(([name, at]) => html`<input type="hidden" name="${name}" value="${at}" />`)}
    <button>${label}</button>
  </form>`
}
