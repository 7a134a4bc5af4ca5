import type { Router } from 'express'
import { html } from 'ghtml'
import { apiScopes } from '../../schemas/scopes.ts'
import type { KeyKind } from '../businesses/api-key.ts'
import { requestLiveAccess } from '../businesses/change-business.ts'
import { issueOwnKey, rotateApiKey, setKeyStatus } from '../businesses/change-key.ts'
import { type KeyFacts, listKeys, lookUpKey } from '../businesses/key-facts.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderLtr } from '../http/pages/text.ts'
import { publishableScopes } from '../http/routes/routes.ts'
import type { RightName } from '../people/rights.ts'
import { type PersonPage, personPaging, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, hasRight, type Visit } from '../people-pages/visit.ts'
import { newId } from '../platform/ids.ts'
import { modeOf } from '../platform/mode.ts'
import { parseIpRange } from '../platform/network.ts'
import { formPage, readOwn, runOwnAct, settingsLocaleOf } from './settings.ts'

const list = '/keys'
const pageSize = 50
const kinds = ['secret', 'publishable'] as const satisfies KeyKind[]

const changeRight = ({ member }: Visit): RightName =>
  member.sandbox ? 'change-test-keys' : 'change-live-keys'

export function addKeyPages(router: Router): void {
  router.get(list, serveVisit('read-keys', keysPage))
  router.post(`${list}/live-access`, serveVisit('ask-for-live', askForLive))
  for (const kind of kinds) {
    const path = `${list}/new/${kind}`
    router.get(
      path,
      serveVisit(changeRight, async (visit) => newKeyPage(visit, kind)),
    )
    router.post(
      path,
      serveVisit(changeRight, (visit) => createKey(visit, kind)),
    )
  }
  for (const [name, page, act] of [
    ['rotate', rotatePage, rotate],
    ['revoke', revokePage, revoke],
  ] as const) {
    router.get(`${list}/:id/${name}`, serveVisit(changeRight, withKey(page)))
    router.post(`${list}/:id/${name}`, serveVisit(changeRight, withKey(act)))
  }
}

type KeyHandler = (visit: Visit, key: KeyFacts) => VisitResult | Promise<VisitResult>

/** Other businesses' keys, and those of the other environment, seem not to exist. */
const withKey = (handle: KeyHandler) => async (visit: Visit) => {
  const { deps, req, caller } = visit
  const key = await lookUpKey(deps, String(req.params['id']))
  const isOwn = key?.businessId === caller.businessId && key.mode === modeOf(caller)
  return isOwn ? handle(visit, key) : null
}

async function keysPage(visit: Visit): Promise<PersonPage> {
  const { req, res, caller, base } = visit
  const { words } = settingsLocaleOf(res)
  const after = String(req.query.after ?? '')
  const filter = { businessId: caller.businessId, mode: modeOf(caller) }
  const slice = { limit: pageSize, after: after || null }
  const { items, next } = await readOwn(visit, (deps) => listKeys(deps, filter, slice))
  const mayChange = hasRight(visit, changeRight(visit))
  const links = kinds.map(
    (kind) => html`<li><a class="button" href="${base}${list}/new/${kind}">${words.keys.make[kind]}</a></li>`,
  )
  const body = html`<h1>${words.sections.keys}</h1><p>${words.keys.intro}</p>
!${mayChange ? html`<ul class="links">!${links}</ul>` : ''}
!${items.length === 0 ? html`<p class="notice">${words.keys.none}</p>` : renderTable(columns(visit, mayChange), items, { label: words.sections.keys, isTight: true })}
!${personPaging(res, (id) => `${base}${list}${id && `?after=${id}`}`, after === '', next)}
!${liveAccess(visit)}`
  return { title: words.sections.keys, body, current: base + list }
}

function columns({ base, res }: Visit, mayChange: boolean): TableColumn<KeyFacts>[] {
  const { words, moment } = settingsLocaleOf(res)
  const { keys } = words
  const overlap = ({ secrets }: KeyFacts) =>
    secrets.map(({ state, validUntil }) =>
      state === 'overlap' && validUntil
        ? html`<div class="faint">${keys.oldWorksUntil(moment(validUntil))}</div>`
        : '',
    )
  const links = ({ id }: KeyFacts) =>
    html`<a href="${base}${list}/${id}/rotate">${keys.rotate}</a> <a href="${base}${list}/${id}/revoke">${keys.revoke}</a>`
  const action = {
    label: words.actions,
    isAction: true,
    html: (key: KeyFacts) => (key.status === 'revoked' ? '' : links(key)),
  }
  return [
    { label: keys.key, html: (key) => html`<code>!${renderLtr(key.key)}</code>!${overlap(key)}` },
    { label: keys.state, html: ({ status }) => html`${keys.states[status]}` },
    { label: keys.kind, html: ({ kind }) => html`${keys.kinds[kind]}` },
    { label: keys.scopes, html: ({ scopes }) => html`${scopeText(scopes, keys)}` },
    {
      label: keys.addresses,
      html: ({ ipAllowlist: only }) =>
        only.length === 0 ? html`${keys.allAddresses}` : renderLtr(only.join(', ')),
    },
    { label: keys.created, html: ({ createdAt }) => html`${moment(createdAt)}` },
    {
      label: keys.lastUsed,
      html: ({ lastUsedDay }) => (lastUsedDay === null ? html`${keys.never}` : renderLtr(lastUsedDay)),
    },
    ...(mayChange ? [action] : []),
  ]
}

type KeyTexts = ReturnType<typeof settingsLocaleOf>['words']['keys']

const scopeText = (scopes: KeyFacts['scopes'], { allScopes, scopeNames }: KeyTexts): string =>
  apiScopes.every((scope) => scopes.includes(scope))
    ? allScopes
    : scopes.map((scope) => scopeNames[scope]).join(' · ')

function liveAccess(visit: Visit): string {
  const { member, base, res } = visit
  const { words, moment } = settingsLocaleOf(res)
  const { liveTitle, liveText, askForLive: ask, asking, asked } = words.keys
  const { liveApproved, liveRequest } = member.business
  if (liveApproved) return ''
  const button = renderPostForm(
    member.person,
    `${base}${list}/live-access`,
    '',
    html`<button>${ask}</button>`,
    asking,
  )
  const state =
    liveRequest !== undefined
      ? html`<p role="status">${asked(moment(liveRequest.at))}</p>`
      : hasRight(visit, 'ask-for-live')
        ? button
        : ''
  return html`<h2>${liveTitle}</h2><div class="card"><p>${liveText}</p>!${state}</div>`
}

async function askForLive(visit: Visit): Promise<VisitResult> {
  const { deps, caller, base } = visit
  await runOwnAct(
    visit,
    (by) => requestLiveAccess(deps, caller.businessId, by),
    (isNew) => isNew,
  )
  return { to: base + list }
}

const usableScopes = (kind: KeyKind) => (kind === 'secret' ? apiScopes : publishableScopes)

const newForm = () => ({ form: newId(), addresses: '', scopes: null as readonly string[] | null })

function newKeyPage(visit: Visit, kind: KeyKind, typed = newForm(), messages: FormMessages = {}): PersonPage {
  const { keys } = settingsLocaleOf(visit.res).words
  const { faults = {} } = messages
  const boxes = usableScopes(kind).map((scope) => {
    const isChecked = typed.scopes === null || typed.scopes.includes(scope)
    return html`<label class="choice"><input type="checkbox" name="${scope}" value="on" !${isChecked ? 'checked' : ''}> ${keys.scopeNames[scope]}</label>`
  })
  const fields = html`<p>${keys.aboutKind[kind]}</p>!${renderHiddenInput('form', typed.form)}
<fieldset id="scopes" tabindex="-1"><legend>${keys.scopes}</legend>!${faults.scopes ? html`<p class="fault">${faults.scopes}</p>` : ''}!${boxes}</fieldset>
!${inputField('addresses', {
    label: keys.addresses,
    hint: keys.addressesHint,
    value: typed.addresses,
    fault: faults.addresses,
    attributes: 'dir="ltr" autocomplete="off" maxlength="1000"',
  })}`
  const title = keys.make[kind]
  const texts = { title, button: keys.makeIt, busy: keys.making }
  return formPage(visit, { path: `${list}/new/${kind}`, ...texts, fields, list }, messages)
}

async function createKey(visit: Visit, kind: KeyKind): Promise<VisitResult> {
  const { deps, req, res, caller } = visit
  const { keys } = settingsLocaleOf(res).words
  const usable = usableScopes(kind)
  const { form, addresses, ...boxes } = readFormFields(req, 'form', 'addresses', ...usable)
  const scopes = usable.filter((scope) => boxes[scope] === 'on')
  const ipAllowlist = addresses.split(/[\s,;]+/).filter((entry) => entry !== '')
  const fault = addressFault(ipAllowlist, keys)
  const faults = {
    ...(scopes.length === 0 && { scopes: keys.noScope }),
    ...(fault !== null && { addresses: fault }),
  }
  const again = (messages: FormMessages) => newKeyPage(visit, kind, { form, addresses, scopes }, messages)
  if (Object.keys(faults).length > 0) return again({ faults })
  const input = { businessId: caller.businessId, mode: modeOf(caller), kind, scopes, ipAllowlist }
  const result = await runOwnAct(
    visit,
    (by) => issueOwnKey(deps, input, formKey(visit, form), by),
    (made) => made !== 'too-many' && 'key' in made,
  )
  if ('notice' in result) return again(result)
  if (result.done === 'too-many') return again({ notice: keys.tooMany })
  return 'key' in result.done ? shownOnce(visit, result.done.key) : repeated(visit)
}

const maxAddresses = 50

function addressFault(entries: readonly string[], keys: KeyTexts): string | null {
  if (entries.length > maxAddresses) return keys.tooManyAddresses
  const bad = entries.find((entry) => !isIpRange(entry))
  return bad === undefined ? null : keys.badAddress(bad)
}

function isIpRange(entry: string): boolean {
  try {
    parseIpRange(entry)
    return true
  } catch {
    return false
  }
}

function shownOnce({ res, base }: Visit, key: string): PersonPage {
  const { keys, back } = settingsLocaleOf(res).words
  const body = html`<h1>${keys.made}</h1><p class="notice good" role="status">${keys.once}</p>
<pre class="card secret" dir="ltr">${key}</pre><p><a href="${base}${list}">${back}</a></p>`
  return { title: keys.made, body, current: base + list, isNarrow: true }
}

function repeated({ res, base }: Visit): PersonPage {
  const { keys, back } = settingsLocaleOf(res).words
  const body = html`<h1>${keys.repeated}</h1><p class="notice wait" role="alert">${keys.repeatedText}</p>
<p><a href="${base}${list}">${back}</a></p>`
  return { status: 409, title: keys.repeated, body, current: base + list, isNarrow: true }
}

const keyText = ({ key }: KeyFacts) => html`<p><code>!${renderLtr(key)}</code></p>`

function rotatePage(visit: Visit, key: KeyFacts, messages: FormMessages = {}): VisitResult {
  const { keys } = settingsLocaleOf(visit.res).words
  if (key.status === 'revoked') return { to: visit.base + list }
  const fields = html`!${keyText(key)}<p>${keys.rotateText}</p>!${renderHiddenInput('form', newId())}
!${inputField('overlap', { label: keys.overlap, choices: keys.overlaps, value: defaultOverlap })}`
  const texts = { title: keys.rotateTitle, button: keys.rotate, busy: keys.rotating }
  return formPage(visit, { path: `${list}/${key.id}/rotate`, ...texts, fields, list }, messages)
}

const defaultOverlap = '86400'

async function rotate(visit: Visit, key: KeyFacts): Promise<VisitResult> {
  const { deps, req, res } = visit
  const { overlaps } = settingsLocaleOf(res).words.keys
  const { form, overlap } = readFormFields(req, 'form', 'overlap')
  const seconds = Number(Object.hasOwn(overlaps, overlap) ? overlap : defaultOverlap)
  const result = await runOwnAct(
    visit,
    (by) => rotateApiKey(deps, key.id, seconds, by, formKey(visit, form)),
    (issued) => issued !== null,
  )
  if ('notice' in result) return rotatePage(visit, key, result)
  return result.done === null ? repeated(visit) : shownOnce(visit, result.done.key)
}

function revokePage(visit: Visit, key: KeyFacts, messages: FormMessages = {}): VisitResult {
  const { keys } = settingsLocaleOf(visit.res).words
  if (key.status === 'revoked') return { to: visit.base + list }
  const texts = { title: keys.revokeTitle, button: keys.revoke, busy: keys.revoking }
  const fields = html`!${keyText(key)}<p>${keys.revokeText}</p>`
  const form = { path: `${list}/${key.id}/revoke`, ...texts, fields, list, isDanger: true }
  return formPage(visit, form, messages)
}

async function revoke(visit: Visit, key: KeyFacts): Promise<VisitResult> {
  const { deps, base } = visit
  const result = await runOwnAct(visit, (by) => setKeyStatus(deps, key.id, 'revoked', by))
  return 'notice' in result ? revokePage(visit, key, result) : { to: base + list }
}
