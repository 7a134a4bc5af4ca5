import { html } from 'ghtml'
import type { EventName } from '../../../schemas/events.ts'
import type { Deps } from '../../deps.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import type { ListedDelivery, TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { lastUrl } from '../../webhooks/deliveries/present.ts'
import { deliveryBadge } from './badges.ts'
import { whatHappened } from './history.ts'
import { time } from './layout.ts'
import { deliveryPath } from './paths.ts'
import { requeueButton } from './requeue-buttons.ts'
import { userText } from './words.ts'

/** Returns a card for each delivery on the page of its payment or order. */
export const deliveryCards = (
  deps: Pick<Deps, 'now'>,
  deliveries: readonly ListedDelivery[],
  endpoints: ReadonlyMap<string, TracedEndpoint>,
  staff: SignedIn,
): string[] =>
  deliveries.map(
    (delivery) => html`<article class="card">
    <h3><a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${userText(lastUrl(delivery))} !${deliveryBadge(delivery.status)}</h3>
    <p class="lead">!${whatHappened(deps, delivery)}</p>
    !${requeueButton(delivery, endpoints.get(delivery.endpointId), staff, 'source')}
  </article>`,
  )

/** Returns the notice about an event that is still in the outbox. */
export const notYetSent = ({ event, createdAt }: { event: EventName; createdAt: Date }): string =>
  html`<p class="notice"><b>${event}</b> happened !${time(createdAt)}. It has not been sent to the endpoints yet.</p>`

/** Returns the notice about an event without a delivery. */
export const notSubscribed = (event: EventName, when = 'when it happened'): string =>
  html`<p class="notice">No active endpoint was subscribed to <b>${event}</b> ${when}, so nothing was sent.</p>`

/**
 * Returns a notice if a payment or order is test data that the clean-up (src/retention) may already have partly
 * deleted. Otherwise, returns null.
 */
export function cleanedAway(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  { sandbox, createdAt }: { sandbox: boolean; createdAt: Date },
): string | null {
  const isOld = now().getTime() - createdAt.getTime() > config.sandboxRetentionMs
  if (!sandbox || !isOld) return null
  return html`<p class="notice">This test data is older than the retention period. The clean-up deletes it, webhooks first.</p>`
}
