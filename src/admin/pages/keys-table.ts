import { html } from 'ghtml'
import { scopes as allScopes, type Scope } from '../../../schemas/scopes.ts'
import type { KeyFacts } from '../../businesses/key-facts.ts'
import type { IdPage } from '../../mongo/id-page.ts'
import { keyBadge } from './badges.ts'
import { time } from './layout.ts'
import { keyPath } from './paths.ts'

export const scopesInWords = (scopes: readonly Scope[]): string =>
  allScopes.every((scope) => scopes.includes(scope)) ? 'all' : scopes.join(', ')

export const lastUse = ({ lastUsedDay }: Pick<KeyFacts, 'lastUsedDay'>): string => lastUsedDay ?? 'never'

/** Returns a table of a business's newest keys. On a phone, each row is shown as a card. */
export function keysTable({ items, next }: IdPage<KeyFacts>): string {
  if (items.length === 0) return html`<p>This business has no API key, so it cannot use the developer API.</p>`
  const cut = next === null ? '' : html`<p>Only the newest ${String(items.length)} keys are shown.</p>`
  return html`<div class="scroll" role="region" aria-label="Keys" tabindex="0">
    <table class="cards tight">
      <thead><tr><th>Key</th><th>State</th><th>Mode</th><th>Kind</th><th>Scopes</th><th>Created</th><th>Last used (UTC day)</th></tr></thead>
      <tbody>!${items.map(row)}</tbody>
    </table>
  </div>!${cut}`
}

const row = (key: KeyFacts): string =>
  html`<tr>
    <td data-label="Key"><a class="id" href="${keyPath(key.id)}">${key.key}</a></td>
    <td data-label="State">!${keyBadge(key.status)}</td>
    <td data-label="Mode">${key.mode}</td>
    <td data-label="Kind">${key.kind}</td>
    <td data-label="Scopes">${scopesInWords(key.scopes)}</td>
    <td data-label="Created">!${time(key.createdAt)}</td>
    <td data-label="Last used (UTC day)">${lastUse(key)}</td>
  </tr>`
