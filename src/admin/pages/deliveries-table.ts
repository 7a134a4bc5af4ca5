import { html } from 'ghtml'
import { hostOf } from '../../webhooks/deliveries/delivery.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { deliveryBadge, environmentBadge } from './badges.ts'
import { time } from './layout.ts'
import { deliveryPath, sourcePath } from './paths.ts'
import { outcomeOf, userText } from './words.ts'

/**
 * Returns a table of deliveries, which also shows each delivery's last attempt. On a phone, each row is shown as a
 * card.
 */
export const deliveriesTable = (caption: string, deliveries: readonly ListedDelivery[]): string =>
  html`<div class="scroll">
    <table class="cards">
      <caption>${caption}</caption>
      <thead><tr><th>Delivery</th><th>Payment or order</th><th>Endpoint</th><th>Status</th><th>Last attempt</th></tr></thead>
      <tbody>!${deliveries.map(row)}</tbody>
    </table>
  </div>`

function row(delivery: ListedDelivery): string {
  const { _id, event, referenceNumber, sandbox, status, attempts } = delivery
  const attempt = delivery.attemptLog.at(-1)
  return html`<tr>
    <td data-label="Delivery"><a href="${deliveryPath(_id)}">${event}</a></td>
    <td data-label="Payment or order"><a class="id" href="${sourcePath(referenceNumber)}">${referenceNumber}</a> !${environmentBadge(sandbox)}</td>
    <td data-label="Endpoint" class="wide">!${userText(hostOf(delivery))}</td>
    <td data-label="Status">!${deliveryBadge(status)}</td>
    <td data-label="Last attempt">!${attempt === undefined ? 'none yet' : html`${attempts}: !${userText(outcomeOf(attempt))}, !${time(attempt.at)}`}</td>
  </tr>`
}
