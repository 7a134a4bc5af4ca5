import { html } from 'ghtml'
import { scopes as allScopes, type Scope } from '../../../schemas/scopes.ts'
import type { KeyFacts } from '../../businesses/key-facts.ts'
import type { IdPage } from '../../mongo/id-page.ts'
import { keyBadge } from './badges.ts'
import { time } from './layout.ts'
import { idLink, keyPath } from './paths.ts'
import { type Column, table } from './table.ts'

export const scopesInWords = (scopes: readonly Scope[]): string =>
  allScopes.every((scope) => scopes.includes(scope)) ? 'all' : scopes.join(', ')

export const lastUse = ({ lastUsedDay }: Pick<KeyFacts, 'lastUsedDay'>): string => lastUsedDay ?? 'never'

/** Returns a table of a business's newest keys. */
export function keysTable({ items, next }: IdPage<KeyFacts>): string {
  if (items.length === 0) return html`<p>This business has no API key, so it cannot use the developer API.</p>`
  const cut = next === null ? '' : html`<p>Only the newest ${String(items.length)} keys are shown.</p>`
  return html`!${table(columns, items, { label: 'Keys', isTight: true })}!${cut}`
}

const columns: Column<KeyFacts>[] = [
  { title: 'Key', html: ({ id, key }) => idLink(keyPath(id), key) },
  { title: 'State', html: ({ status }) => keyBadge(status) },
  { title: 'Mode', text: ({ mode }) => mode },
  { title: 'Kind', text: ({ kind }) => kind },
  { title: 'Scopes', text: ({ scopes }) => scopesInWords(scopes) },
  { title: 'Created', html: ({ createdAt }) => time(createdAt) },
  { title: 'Last used (UTC day)', text: lastUse },
]
