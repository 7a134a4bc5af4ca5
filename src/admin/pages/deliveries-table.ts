import { html } from 'ghtml'
import { hostOf } from '../../webhooks/deliveries/delivery.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { deliveryBadge, environmentBadge } from './badges.ts'
import { time } from './layout.ts'
import { deliveryPath, idLink, sourceOf } from './paths.ts'
import { type Column, table } from './table.ts'
import { outcomeOf, userText } from './words.ts'

/**
 * Returns a table of deliveries, which also shows each delivery's last attempt. On a phone, each row is shown as a
 * card.
 */
export const deliveriesTable = (caption: string, deliveries: readonly ListedDelivery[]): string =>
  table(columns, deliveries, { caption })

const columns: Column<ListedDelivery>[] = [
  { title: 'Delivery', html: ({ _id, event }) => html`<a href="${deliveryPath(_id)}">${event}</a>` },
  {
    title: 'Payment or order',
    html: ({ referenceNumber: id, sandbox }) => html`!${idLink(sourceOf(id).path, id)} !${environmentBadge(sandbox)}`,
  },
  { title: 'Endpoint', classes: 'wide', html: (delivery) => userText(hostOf(delivery)) },
  { title: 'Status', html: ({ status }) => deliveryBadge(status) },
  { title: 'Last attempt', html: lastAttempt },
]

function lastAttempt({ attempts, attemptLog }: ListedDelivery): string {
  const attempt = attemptLog.at(-1)
  if (attempt === undefined) return 'none yet'
  return html`${attempts}: !${userText(outcomeOf(attempt))}, !${time(attempt.at)}`
}
