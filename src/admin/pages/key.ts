import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import { lookUpKey } from '../../businesses/look-up-keys.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { keyBadge } from './badges.ts'
import { staffOf } from './guards.ts'
import { keyName, lastUse, scopesInWords } from './keys-table.ts'
import { page, time } from './layout.ts'
import { auditPath, businessPath } from './paths.ts'
import { sendNotFound } from './respond.ts'
import { userText } from './words.ts'

/** Handles GET requests for a key's page. */
export const keyPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const key = await lookUpKey(deps, id)
  if (key === null) return sendNotFound(res)
  const business = await lookUpBusiness(deps, key.businessId)
  const overlap = key.secrets.flatMap(({ validUntil }) =>
    validUntil !== null && validUntil > deps.now() ? [validUntil] : [],
  )
  const body = html`<h1>Key <span class="id">${keyName(key)}</span> !${keyBadge(key.status)}</h1>
    <dl class="facts card">
      <dt>Business</dt><dd><a href="${businessPath(key.businessId)}">!${userText(business?.name ?? key.businessId)}</a></dd>
      <dt>Mode</dt><dd>${key.mode}</dd>
      <dt>Kind</dt><dd>${key.kind}</dd>
      <dt>Scopes</dt><dd>${scopesInWords(key.scopes)}</dd>
      <dt>IP addresses</dt><dd>${key.ipAllowlist.length === 0 ? 'all' : key.ipAllowlist.join(', ')}</dd>
      <dt>Created</dt><dd>!${time(key.createdAt)}</dd>
      <dt>Last used (UTC day)</dt><dd>${lastUse(key)}</dd>
      !${overlap.map((at) => html`<dt>Earlier secret</dt><dd>works until !${time(at)}</dd>`)}
      <dt>Id</dt><dd class="id">${id}</dd>
      <dt>Audit trail</dt><dd><a href="${auditPath({ subject: id })}">show the changes of this key</a>, <a href="${auditPath({ who: id })}">show the changes made with it</a></dd>
    </dl>`
  sendPage(res, 200, page({ title: `Key ${keyName(key)}`, staff: staffOf(res), current: null }, body))
}
