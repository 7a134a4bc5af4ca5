import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { lastUrl } from '../../webhooks/deliveries/present.ts'
import { deliveryBadge } from './badges.ts'
import { whatHappened } from './history.ts'
import { deliveryPath } from './paths.ts'
import { sendAgainButton } from './requeue-buttons.ts'
import { foreign } from './words.ts'

/** One delivery on the page of what it tells of. */
export const deliveryCard = (deps: Pick<Deps, 'now'>, delivery: ListedDelivery, staff: SignedIn): string =>
  html`<article class="card">
    <h3><a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${foreign(lastUrl(delivery))} !${deliveryBadge(delivery.status)}</h3>
    <p class="lead">!${whatHappened(deps, delivery)}</p>
    !${sendAgainButton(delivery, staff, 'source')}
  </article>`
