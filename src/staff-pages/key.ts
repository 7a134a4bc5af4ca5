import { html } from 'ghtml'
import { type KeyBlockReason, type KeyFacts, lookUpKey, type SecretFacts } from '../businesses/key-facts.ts'
import type { IdPage } from '../mongo/id-page.ts'
import { apiKeyActions } from '../staff-acts/key-acts.ts'
import { keyDisplay, type PageField } from '../staff-acts/shown.ts'
import { linkActions, renderDoneNotice } from './act-routes.ts'
import { keyBadge, lookUpEntry, renderTime } from './format.ts'
import type { PageVisit, StaffPage } from './guards.ts'
import { auditPath, businessLink, idLink, keyPath } from './paths.ts'
import { renderFacts, renderTable } from './table.ts'

const { mode, kind, scopes, addresses, createdAt, lastUsedDay } = keyDisplay

const blockWords: Record<KeyBlockReason, string> = {
  'key-suspended': 'the key is suspended',
  'key-revoked': 'the key is revoked',
  'secret-ended': 'the secret has ended',
  'business-disabled': 'the developer API of the business is disabled',
  'business-suspended': 'the business is suspended',
  'live-not-approved': 'the business is not approved for live mode',
}

export const keyPage: StaffPage<'ApiKey' | 'Business' | 'now'> = async (deps, { id, query, staff }) => {
  const key = await lookUpKey(deps, id)
  if (key === null) return null
  const blocks = key.blockedBy.map((block) => blockWords[block]).join('; ')
  const body = html`<h1>Key <span class="id">${key.key}</span> !${keyBadge(key.status)}</h1>
    !${renderDoneNotice(apiKeyActions, key, query)}!${matchNotice(query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(key.businessId, key.businessName)}</dd>
      <dt>Requests</dt><dd>${blocks === '' ? 'accepted' : `rejected: ${blocks}`}</dd>
      !${renderFacts(key, [mode, kind, scopes, addresses, createdAt, lastUsedDay])}
      <dt>Secrets</dt><dd>!${key.secrets.map(secretLine)}</dd>
      !${renderFacts(key, [keyDisplay.id])}
      <dt>Audit trail</dt><dd><a href="${auditPath({ subject: id })}">show the changes to this key</a>, <a href="${auditPath({ who: id })}">show the changes made with it</a></dd>
    </dl>
    !${linkActions(apiKeyActions, id, key, staff)}`
  return { title: `Key ${key.key}`, body }
}

const matchWords: Record<SecretFacts['state'], string> = {
  current: 'Found by its current secret.',
  overlap: 'Found by an earlier secret, which works until its overlap ends.',
  ended: 'Found by an earlier secret, which has ended. Requests with that secret are rejected.',
}

/** The notice is shown only after a search for a whole key. */
function matchNotice({ matched }: PageVisit['query']) {
  const sentence = lookUpEntry(matchWords, matched)
  return sentence === undefined ? '' : html`<p class="notice" role="status">${sentence}</p>`
}

const stateWords: typeof matchWords = { current: 'current', overlap: 'works until', ended: 'ended at' }

const secretLine = ({ last4, state, validUntil }: SecretFacts) =>
  html`<div><span class="id">…${last4}</span> ${stateWords[state]}!${validUntil === null ? '' : html` !${renderTime(validUntil)}`}</div>`

export function keysTable({ items, next }: IdPage<KeyFacts>): string {
  if (items.length === 0)
    return html`<p>This business has no API key, so it cannot use the developer API.</p>`
  const cut = next === null ? '' : html`<p>Only the newest ${String(items.length)} keys are shown.</p>`
  return html`!${renderTable(columns, items, { label: 'Keys', isTight: true })}!${cut}`
}

const columns: PageField<KeyFacts>[] = [
  { ...keyDisplay.key, html: ({ id, key }) => idLink(keyPath(id), key) },
  { ...keyDisplay.status, html: ({ status }) => keyBadge(status) },
  mode,
  kind,
  scopes,
  createdAt,
  lastUsedDay,
]
