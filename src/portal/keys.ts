import type { Router } from 'express'
import { html } from 'ghtml'
import { type ApiScope, apiScopes } from '../../schemas/scopes.ts'
import type { KeyKind } from '../businesses/api-key.ts'
import { byCaller } from '../businesses/caller.ts'
import { requestLiveAccess } from '../businesses/change-business.ts'
import { issueOwnKey, rotateApiKey, setKeyStatus } from '../businesses/change-key.ts'
import { type KeyFacts, listKeys, lookUpKey, type SecretFacts } from '../businesses/key-facts.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { inputField } from '../http/pages/forms.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderLtr } from '../http/pages/text.ts'
import { publishableScopes } from '../http/routes/routes.ts'
import type { RightName } from '../people/rights.ts'
import { addForm } from '../people-pages/form.ts'
import { type PersonPage, personPaging, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { hasRight, type Visit } from '../people-pages/visit.ts'
import { modeOf } from '../platform/mode.ts'
import { isIpRange } from '../platform/network.ts'
import {
  actionColumn,
  notePage,
  queryText,
  readOwn,
  runOwnAct,
  secretText,
  settingsLocaleOf,
  typedOr,
} from './settings.ts'

const list = '/keys'
const pageSize = 50
const kinds = ['secret', 'publishable'] as const satisfies KeyKind[]

const right = ({ member }: Visit): RightName => (member.sandbox ? 'change-test-keys' : 'change-live-keys')

export function addKeyPages(router: Router): void {
  router.get(list, serveVisit('read-keys', keysPage))
  router.post(`${list}/live-access`, serveVisit('ask-for-live', requestLive))
  for (const kind of kinds) addNewKeyForm(router, kind)
  addRotateForm(router)
  addRevokeForm(router)
}

/** Other businesses' keys, and those of the other environment, seem not to exist. */
async function findKey({ deps, req, caller }: Visit): Promise<KeyFacts | null> {
  const key = await lookUpKey(deps, String(req.params['id']))
  return key?.businessId === caller.businessId && key.mode === modeOf(caller) ? key : null
}

async function keysPage(visit: Visit): Promise<PersonPage> {
  const { res, caller, base } = visit
  const { words } = settingsLocaleOf(res)
  const after = queryText(visit, 'after')
  const filter = { businessId: caller.businessId, mode: modeOf(caller) }
  const slice = { limit: pageSize, after: after || null }
  const { items, next } = await readOwn(visit, (deps) => listKeys(deps, filter, slice))
  const links = kinds.map(
    (kind) => html`<li><a class="button" href="${base}${list}/new/${kind}">${words.keys.make[kind]}</a></li>`,
  )
  const none = html`<p class="notice">${words.keys.none}</p>`
  const look = { label: words.sections.keys, isTight: true }
  const body = html`<h1>${words.sections.keys}</h1><p>${words.keys.intro}</p>
!${hasRight(visit, right(visit)) ? html`<ul class="links">!${links}</ul>` : ''}
!${items.length === 0 ? none : renderTable(columns(visit), items, look)}
!${personPaging(res, (id) => `${base}${list}${id && `?after=${id}`}`, after === '', next)}
!${liveAccess(visit)}`
  return { title: words.sections.keys, body, current: base + list }
}

function columns(visit: Visit): TableColumn<KeyFacts>[] {
  const { base, res } = visit
  const { words, moment } = settingsLocaleOf(res)
  const { keys } = words
  const overlap = ({ state, validUntil: end }: SecretFacts) =>
    state === 'overlap' && end ? html`<div class="faint">${keys.overlapEnds(moment(end))}</div>` : ''
  const link = (id: string, act: 'rotate' | 'revoke') =>
    html`<a href="${base}${list}/${id}/${act}">${keys[act]}</a>`
  return [
    {
      label: keys.key,
      html: ({ key, secrets }) => html`<code>!${renderLtr(key)}</code>!${secrets.map(overlap)}`,
    },
    { label: keys.state, html: ({ status }) => html`${keys.states[status]}` },
    { label: keys.kind, html: ({ kind }) => html`${keys.kinds[kind]}` },
    { label: keys.scopes, html: ({ scopes }) => html`${scopeText(scopes, keys)}` },
    {
      label: keys.addresses,
      html: ({ ipAllowlist: only }) =>
        only.length === 0 ? html`${keys.allAddresses}` : renderLtr(only.join(', ')),
    },
    { label: keys.created, html: ({ createdAt }) => html`${moment(createdAt)}` },
    { label: keys.lastUsed, html: ({ lastUsedDay }) => html`<bdi>${lastUsedDay ?? keys.never}</bdi>` },
    ...actionColumn(visit, right(visit), ({ id, status }: KeyFacts) =>
      status === 'revoked' ? '' : html`!${link(id, 'rotate')} !${link(id, 'revoke')}`,
    ),
  ]
}

const textsOf = ({ res }: Visit) => settingsLocaleOf(res).words.keys

type KeyTexts = ReturnType<typeof textsOf>

const scopeText = (scopes: KeyFacts['scopes'], { allScopes, scopeNames }: KeyTexts): string =>
  apiScopes.every((scope) => scopes.includes(scope))
    ? allScopes
    : scopes.map((scope) => scopeNames[scope]).join(' · ')

function liveAccess(visit: Visit): string {
  const { member, base, res } = visit
  const { words, moment } = settingsLocaleOf(res)
  const { liveTitle, liveText, requestLive: text, requesting, requested } = words.keys
  const { liveApproved, liveRequest } = member.business
  if (liveApproved) return ''
  const path = `${base}${list}/live-access`
  const button = renderPostForm(member.person, path, '', html`<button>${text}</button>`, requesting)
  const state =
    liveRequest !== undefined
      ? html`<p role="status">${requested(moment(liveRequest.at))}</p>`
      : hasRight(visit, 'ask-for-live')
        ? button
        : ''
  return html`<h2>${liveTitle}</h2><div class="card"><p>${liveText}</p>!${state}</div>`
}

/** Adds one line to the audit trail until the business is approved, so it needs no quota. */
async function requestLive({ deps, caller, base }: Visit): Promise<VisitResult> {
  await requestLiveAccess(deps, caller.businessId, byCaller(caller))
  return { to: base + list }
}

const usableScopes = (kind: KeyKind) => (kind === 'secret' ? apiScopes : publishableScopes)

const addNewKeyForm = (router: Router, kind: KeyKind): void =>
  addForm(router, {
    right,
    path: `${list}/new/${kind}`,
    find: async () => ({}),
    show(visit, _found, faults) {
      const keys = textsOf(visit)
      const usable = usableScopes(kind)
      const all = Object.fromEntries(usable.map((scope) => [scope, 'on'])) as Record<ApiScope, string>
      const { addresses, ...chosen } = typedOr(visit, { addresses: '', ...all })
      const boxes = usable.map(
        (scope) =>
          html`<label class="choice"><input type="checkbox" name="${scope}" value="on" !${chosen[scope] === 'on' ? 'checked' : ''}> ${keys.scopeNames[scope]}</label>`,
      )
      const attributes = 'dir="ltr" autocomplete="off" maxlength="1000"'
      const [label, hint, fault] = [keys.addresses, keys.addressesHint, faults.addresses]
      const fields = html`<p>${keys.aboutKind[kind]}</p>
<fieldset id="scopes" tabindex="-1"><legend>${keys.scopes}</legend>!${faults.scopes ? html`<p class="fault">${faults.scopes}</p>` : ''}!${boxes}</fieldset>
!${inputField('addresses', { label, hint, value: addresses, fault, attributes })}`
      return { title: keys.make[kind], fields, button: keys.makeIt, busy: keys.making }
    },
    async act(visit, _found, keyOf) {
      const { deps, req, caller } = visit
      const keys = textsOf(visit)
      const usable = usableScopes(kind)
      const { addresses, ...chosen } = readFormFields(req, 'addresses', ...usable)
      const scopes = usable.filter((scope) => chosen[scope] === 'on')
      const ipAllowlist = addresses.split(/[\s,;]+/).filter((entry) => entry !== '')
      const fault = addressFault(ipAllowlist, keys)
      const faults = {
        ...(scopes.length === 0 && { scopes: keys.noScope }),
        ...(fault !== null && { addresses: fault }),
      }
      if (Object.keys(faults).length > 0) return { faults }
      const input = { businessId: caller.businessId, mode: modeOf(caller), kind, scopes, ipAllowlist }
      const result = await runOwnAct(
        visit,
        (by) => issueOwnKey(deps, input, keyOf(), by),
        (made) => made !== 'too-many' && 'key' in made,
      )
      if ('notice' in result) return result
      if (result.done === 'too-many') return { notice: keys.tooMany }
      return 'key' in result.done ? shownOnce(visit, result.done.key) : repeated(visit)
    },
  })

const maxAddresses = 50

function addressFault(entries: readonly string[], keys: KeyTexts): string | null {
  if (entries.length > maxAddresses) return keys.tooManyAddresses
  const bad = entries.find((entry) => !isIpRange(entry))
  return bad === undefined ? null : keys.badAddress(bad)
}

function shownOnce(visit: Visit, key: string): PersonPage {
  const { made: title, once: notice } = textsOf(visit)
  return notePage(visit, { title, notice, more: secretText(key), list })
}

function repeated(visit: Visit): PersonPage {
  const { repeated: title, repeatedText: notice } = textsOf(visit)
  return notePage(visit, { status: 409, title, notice, list })
}

const keyText = ({ key }: KeyFacts) => html`<p><code>!${renderLtr(key)}</code></p>`

const addRotateForm = (router: Router): void =>
  addForm(router, {
    right,
    path: `${list}/:id/rotate`,
    find: findKey,
    show(visit, key) {
      const keys = textsOf(visit)
      const { overlap } = typedOr(visit, { overlap: '86400' })
      const fields = html`!${keyText(key)}<p>${keys.rotateText}</p>
!${inputField('overlap', { label: keys.overlap, choices: keys.overlaps, value: overlap })}`
      return { title: keys.rotateTitle, fields, button: keys.rotate, busy: keys.rotating }
    },
    async act(visit, { id, status }, keyOf) {
      const { overlaps, badOverlap } = textsOf(visit)
      const { overlap } = readFormFields(visit.req, 'overlap')
      if (!Object.hasOwn(overlaps, overlap)) return { faults: { overlap: badOverlap } }
      if (status === 'revoked') return { done: false }
      const result = await runOwnAct(
        visit,
        (by) => rotateApiKey(visit.deps, id, Number(overlap), by, keyOf()),
        (issued) => issued !== null,
      )
      if ('notice' in result) return result
      return result.done === null ? repeated(visit) : shownOnce(visit, result.done.key)
    },
  })

const addRevokeForm = (router: Router): void =>
  addForm(router, {
    right,
    path: `${list}/:id/revoke`,
    find: findKey,
    show(visit, key) {
      const { revokeTitle: title, revokeText, revoke: button, revoking: busy } = textsOf(visit)
      const fields = html`!${keyText(key)}<p>${revokeText}</p>`
      return { title, fields, button, busy, isDanger: true }
    },
    act: (visit, { id }) => runOwnAct(visit, (by) => setKeyStatus(visit.deps, id, 'revoked', by)),
  })
