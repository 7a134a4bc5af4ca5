import { html } from 'ghtml'
import { scopes as allScopes, type Scope } from '../../../schemas/scopes.ts'
import { maxKeys, type TracedKey } from '../../businesses/look-up-keys.ts'
import { keyBadge } from './badges.ts'
import { time } from './layout.ts'
import { keyPath } from './paths.ts'

/** Returns a key in the form in which merchants know it, such as `sk_test_…abcd`. */
export const keyName = ({ prefix, last4 }: Pick<TracedKey, 'prefix' | 'last4'>): string =>
  `${prefix}…${last4}`

export const scopesInWords = (scopes: readonly Scope[]): string =>
  allScopes.every((scope) => scopes.includes(scope)) ? 'all' : scopes.join(', ')

export const lastUse = ({ lastUsedDay }: Pick<TracedKey, 'lastUsedDay'>): string => lastUsedDay ?? 'never'

/** Returns a table of a business's keys. On a phone, each row is shown as a card. */
export function keysTable(keys: readonly TracedKey[]): string {
  if (keys.length === 0) return html`<p>This business has no API key, so it cannot use the developer API.</p>`
  const cut = keys.length === maxKeys ? html`<p>Only the newest ${String(maxKeys)} keys are shown.</p>` : ''
  return html`<div class="scroll" role="region" aria-label="Keys" tabindex="0">
    <table class="cards tight">
      <thead><tr><th>Key</th><th>State</th><th>Mode</th><th>Kind</th><th>Scopes</th><th>Created</th><th>Last used (UTC day)</th></tr></thead>
      <tbody>!${keys.map(row)}</tbody>
    </table>
  </div>!${cut}`
}

const row = (key: TracedKey): string =>
  html`<tr>
    <td data-label="Key"><a class="id" href="${keyPath(key._id)}">${keyName(key)}</a></td>
    <td data-label="State">!${keyBadge(key.status)}</td>
    <td data-label="Mode">${key.mode}</td>
    <td data-label="Kind">${key.kind}</td>
    <td data-label="Scopes">${scopesInWords(key.scopes)}</td>
    <td data-label="Created">!${time(key.createdAt)}</td>
    <td data-label="Last used (UTC day)">${lastUse(key)}</td>
  </tr>`
