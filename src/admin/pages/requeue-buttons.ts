import { html } from 'ghtml'
import type { Span } from '../../input/span.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import { hostOf } from '../../webhooks/deliveries/delivery.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { spanFields } from './form-span.ts'
import { csrfField } from './layout.ts'
import { deliveryPath, endpointPath } from './paths.ts'
import { foreign } from './words.ts'

/** The button for one delivery; nothing for a viewer, or where there is nothing to send: it arrived, or its first attempt is still to come. `back` is the page it stands on, of the delivery or of what it tells of. */
export function sendAgainButton(
  delivery: ListedDelivery,
  staff: SignedIn,
  back: 'source' | 'delivery',
): string {
  if (staff.role !== 'support' || delivery.status === 'DELIVERED' || delivery.status === 'PENDING') return ''
  return html`<form method="post" action="${deliveryPath(delivery._id)}/send-again">
    !${csrfField(staff)}<input type="hidden" name="back" value="${back}" />
    <button>Send again<span class="unseen">: ${delivery.event} to !${foreign(hostOf(delivery))}</span></button>
  </form>`
}

/** The button for all of a receiver's that died in a span; nothing for a viewer. */
export function sendAllButton(endpointId: string, span: Span, staff: SignedIn, label: string): string {
  if (staff.role !== 'support') return ''
  return html`<form method="post" action="${endpointPath(endpointId)}/send-all-again">
    !${csrfField(staff)}
    !${Object.entries(spanFields(span)).map(([name, at]) => html`<input type="hidden" name="${name}" value="${at}" />`)}
    <button>${label}</button>
  </form>`
}
