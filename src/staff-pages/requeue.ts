import { html } from 'ghtml'
import { renderHiddenInput } from '../http/pages/forms.ts'
import { isolateText } from '../http/pages/text.ts'
import type { TimeSpan } from '../input/span.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission } from '../staff/permissions.ts'
import { hostOf } from '../webhooks/deliveries/delivery.ts'
import type { ListedDelivery, StaffEndpoint } from '../webhooks/deliveries/look-up.ts'
import type { RequeueOutcome } from '../webhooks/deliveries/requeue-plan.ts'
import { formatDeliveryCount, lookUpEntry } from './format.ts'
import { csrfField } from './layout.ts'
import { deliveryPath, endpointPath, spanFields, withQuery } from './paths.ts'
import { deriveEndpointState, nothingRequeued, requeueRemedies } from './sentences/webhook-advice.ts'

/** `back` selects the page to show afterwards. */
export function requeueButton(
  delivery: ListedDelivery,
  endpoint: StaffEndpoint | undefined,
  staff: SignedInStaff,
  back: 'source' | 'delivery',
): string {
  if (delivery.status === 'DELIVERED' || delivery.status === 'PENDING') return ''
  const button = html`<form method="post" action="${deliveryPath(delivery._id)}/requeue">
    !${csrfField(staff)}!${renderHiddenInput('back', back)}
    <button>Re-queue<span class="unseen">: ${delivery.event} to !${isolateText(hostOf(delivery))}</span></button>
  </form>`
  return controlOrRemedy(requeueRemedies[deriveEndpointState(endpoint)], staff, button)
}

/** Viewers get neither the button nor the link. */
export function controlOrRemedy(remedy: string | null, staff: SignedInStaff, control: string): string {
  if (remedy !== null) return html`<p>${remedy}</p>`
  return hasPermission(staff, 'requeue-deliveries') ? control : ''
}

export function requeueAllLink(
  endpointId: string,
  endpoint: StaffEndpoint | undefined,
  span: TimeSpan,
  staff: SignedInStaff,
  label: string,
): string {
  const path = withQuery(`${endpointPath(endpointId)}/requeue-all`, spanFields(span))
  const link = html`<p><a class="button" href="${path}">${label}…</a></p>`
  return controlOrRemedy(requeueRemedies[deriveEndpointState(endpoint)], staff, link)
}

type Query = Record<string, unknown>

const ofOne: Record<Exclude<RequeueOutcome, 'not_found'>, [good: boolean, sentence: string]> = {
  requeued: [true, 'Re-queued. The next attempt starts now.'],
  delivered: [false, 'This delivery was already delivered, so it was not re-queued.'],
  under_way: [false, 'An attempt is already due or in progress, so the delivery was not re-queued.'],
  endpoint_gone: [false, `The endpoint is deleted or disabled. ${nothingRequeued}`],
}

export function requeueNotice({ result }: Query): string {
  const words = lookUpEntry(ofOne, result)
  if (words === undefined) return ''
  const reload = html`<p><a href="?">Reload the page to see the result</a></p>`
  return notice(...words) + (result === 'requeued' ? reload : '')
}

/** `continueLink` follows if some deliveries remain. */
export function requeueAllNotice(query: Query, continueLink: string): string {
  if (query.result !== 'all') return ''
  const [requeued, skipped, left] = [numberOf(query.requeued), numberOf(query.skipped), numberOf(query.left)]
  const sentence = [
    `Re-queued: ${formatDeliveryCount(requeued)}.`,
    skipped > 0
      ? `Skipped: ${skipped}, because they were delivered or re-queued in the meantime, or the endpoint is gone.`
      : '',
    left > 0 ? `Remaining: ${left}.` : '',
  ].join(' ')
  return notice(left === 0 && requeued > 0, sentence) + (left > 0 ? continueLink : '')
}

const notice = (good: boolean, sentence: string) =>
  html`<p class="notice ${good ? 'good' : ''}" role="status">${sentence}</p>`

const numberOf = (value: unknown) =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0
