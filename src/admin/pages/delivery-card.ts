import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import type { ListedDelivery, TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { lastUrl } from '../../webhooks/deliveries/present.ts'
import { deliveryBadge } from './badges.ts'
import { whatHappened } from './history.ts'
import { deliveryPath } from './paths.ts'
import { requeueButton } from './requeue-buttons.ts'
import { userText } from './words.ts'

/** Returns a card that shows a delivery on the page of its payment or order. */
export const deliveryCard = (
  deps: Pick<Deps, 'now'>,
  delivery: ListedDelivery,
  endpoint: TracedEndpoint | undefined,
  staff: SignedIn,
): string =>
  html`<article class="card">
    <h3><a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${userText(lastUrl(delivery))} !${deliveryBadge(delivery.status)}</h3>
    <p class="lead">!${whatHappened(deps, delivery)}</p>
    !${requeueButton(delivery, endpoint, staff, 'source')}
  </article>`
