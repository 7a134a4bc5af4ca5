import { html } from 'ghtml'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { receiverBadge } from './badges.ts'
import { time } from './layout.ts'
import { endpointPath } from './paths.ts'
import { foreign, stageInWords } from './words.ts'

/** How a receiver has been doing, as a sentence in HTML. */
export function healthOf({ health }: TracedEndpoint): string {
  const { failuresInRow, lastError, lastFailureAt, lastSuccessAt } = health
  const success =
    lastSuccessAt === null ? 'Nothing was delivered to it yet.' : html`Last success !${time(lastSuccessAt)}.`
  if (failuresInRow === 0 || lastFailureAt === null) return success
  const times = failuresInRow === 1 ? 'The last attempt failed' : `The last ${failuresInRow} attempts failed`
  const why = lastError === null ? '' : html`: ${stageInWords(lastError)}`
  return html`<b>${times}</b>, the newest !${time(lastFailureAt)}!${why}. !${success}`
}

/** Receivers with their health; cards on a phone. */
export const receiversTable = (receivers: readonly TracedEndpoint[]): string =>
  html`<div class="scroll">
    <table class="cards">
      <thead><tr><th>Receiver</th><th>State</th><th>Health</th></tr></thead>
      <tbody>!${receivers.map(
        (receiver) => html`<tr>
          <td data-label="Receiver"><a href="${endpointPath(receiver._id)}">!${foreign(receiver.url)}</a></td>
          <td data-label="State">!${receiverBadge(receiver)}</td>
          <td data-label="Health">!${healthOf(receiver)}</td>
        </tr>`,
      )}</tbody>
    </table>
  </div>`
