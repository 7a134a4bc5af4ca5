import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { type KeyBlock, type KeyFacts, lookUpKey, type SecretFacts } from '../businesses/key-facts.ts'
import type { IdPage } from '../mongo/id-page.ts'
import type { Deps } from '../platform/deps.ts'
import { keyActs } from '../staff-acts/key-acts.ts'
import { keyShown } from '../staff-acts/shown.ts'
import { actLinks, actNotice } from './act-routes.ts'
import { keyBadge } from './badges.ts'
import { sendNotFound, sendStaffPage, staffOf, time } from './layout.ts'
import { auditPath, businessLink, entryNamed, idLink, keyPath } from './paths.ts'
import { columnOf, factsOf, table } from './table.ts'

const blockWords: Record<KeyBlock, string> = {
  'key-suspended': 'the key is suspended',
  'key-revoked': 'the key is revoked',
  'secret-ended': 'the secret has ended',
  'business-disabled': 'the developer API of the business is disabled',
  'business-suspended': 'the business is suspended',
  'live-not-approved': 'the business is not approved for live mode',
}

/** Handles GET requests for a key's page. */
export const keyPage =
  (deps: Pick<Deps, 'ApiKey' | 'Business' | 'now'>) =>
  async (req: Request<{ id: string }>, res: Response) => {
    const { id } = req.params
    const key = await lookUpKey(deps, id)
    if (key === null) return sendNotFound(res)
    const { blockedBy, secrets } = key
    const blocks = blockedBy.map((block) => blockWords[block]).join('; ')
    const body = html`<h1>Key <span class="id">${key.key}</span> !${keyBadge(key.status)}</h1>
    !${actNotice(keyActs, key, req.query)}!${matchNotice(req.query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(key.businessId, key.businessName)}</dd>
      <dt>Requests</dt><dd>${blocks === '' ? 'accepted' : `rejected: ${blocks}`}</dd>
      !${factsOf(key, [keyShown.mode, keyShown.kind, keyShown.scopes, keyShown.addresses, keyShown.createdAt, keyShown.lastUsedDay])}
      <dt>Secrets</dt><dd>!${secrets.map(secretLine)}</dd>
      !${factsOf(key, [keyShown.id])}
      <dt>Audit trail</dt><dd><a href="${auditPath({ subject: id })}">show the changes of this key</a>, <a href="${auditPath({ who: id })}">show the changes made with it</a></dd>
    </dl>
    !${actLinks(keyActs, id, key, staffOf(res))}`
    sendStaffPage(res, { title: `Key ${key.key}` }, body)
  }

const matchWords: Record<SecretFacts['state'], string> = {
  current: 'Found by its current secret.',
  overlap: 'Found by an earlier secret, which works until its overlap ends.',
  ended: 'Found by an earlier secret, which has ended. Requests with that secret are rejected.',
}

/** Returns the notice to show after a search for a whole key. Returns an empty string for any other visit. */
function matchNotice({ matched }: Record<string, unknown>): string {
  const sentence = entryNamed(matchWords, matched)
  return sentence === undefined ? '' : html`<p class="notice" role="status">${sentence}</p>`
}

const secretLine = ({ last4, state, validUntil }: SecretFacts): string => {
  const end = validUntil === null ? '' : html` !${time(validUntil)}`
  const words = { current: 'current', overlap: 'works until', ended: 'ended at' }
  return html`<div><span class="id">…${last4}</span> ${words[state]}!${end}</div>`
}

/** Returns a table of a business's newest keys. */
export function keysTable({ items, next }: IdPage<KeyFacts>): string {
  if (items.length === 0)
    return html`<p>This business has no API key, so it cannot use the developer API.</p>`
  const cut = next === null ? '' : html`<p>Only the newest ${String(items.length)} keys are shown.</p>`
  return html`!${table(columns, items, { label: 'Keys', isTight: true })}!${cut}`
}

const columns = [
  columnOf(keyShown.key, ({ id, key }) => idLink(keyPath(id), key)),
  columnOf(keyShown.status, ({ status }) => keyBadge(status)),
  ...[keyShown.mode, keyShown.kind, keyShown.scopes, keyShown.createdAt, keyShown.lastUsedDay].map((field) =>
    columnOf(field),
  ),
]
