import type { Router } from 'express'
import { html } from 'ghtml'
import { type ApiScope, apiScopes } from '../../schemas/scopes.ts'
import type { KeyKind } from '../businesses/api-key.ts'
import { byCaller } from '../businesses/caller.ts'
import { requestLiveAccess } from '../businesses/change-business.ts'
import { issueOwnKey, rotateApiKey, setKeyStatus } from '../businesses/change-key.ts'
import { type KeyFacts, listKeys, lookUpKey, type SecretFacts } from '../businesses/key-facts.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { checkboxFields, inputField } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderLtr, renderTime } from '../http/pages/text.ts'
import { publishableScopes } from '../http/routes/routes.ts'
import type { RightName } from '../people/rights.ts'
import { addForm, type FormPage } from '../people-pages/form.ts'
import { type PersonPage, personPaging } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import { hasRight, type Visit } from '../people-pages/visit.ts'
import { modeOf } from '../platform/mode.ts'
import { isIpRange } from '../platform/network.ts'
import { readQueryText } from './money-filter.ts'
import * as settings from './settings.ts'

const list = '/keys'
const pageSize = 50
const kinds = ['secret', 'publishable'] as const satisfies KeyKind[]

const right = ({ member }: Visit): RightName => (member.sandbox ? 'change-test-keys' : 'change-live-keys')

export function addKeyPages(router: Router): void {
  router.get(list, serveVisit('read-keys', keysPage))
  addForm(router, liveAccessForm)
  for (const kind of kinds) addForm(router, newKeyForm(kind))
  addForm(router, rotateForm)
  addForm(router, revokeForm)
}

const textsOf = ({ res }: Visit) => settings.settingsLocaleOf(res).words.keys

type KeyTexts = ReturnType<typeof textsOf>

/** Other businesses' keys, and those of the other environment, seem not to exist. */
async function findKey({ deps, req, caller }: Visit): Promise<KeyFacts | null> {
  const key = await lookUpKey(deps, String(req.params['id']))
  return key?.businessId === caller.businessId && key.mode === modeOf(caller) ? key : null
}

async function keysPage(visit: Visit): Promise<PersonPage> {
  const { res, caller, base } = visit
  const { words } = settings.settingsLocaleOf(res)
  const after = readQueryText(visit, 'after')
  const filter = { businessId: caller.businessId, mode: modeOf(caller) }
  const slice = { limit: pageSize, after: after || null }
  const { items, next } = await settings.readOwn(visit, (deps) => listKeys(deps, filter, slice))
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
  const locale = settings.settingsLocaleOf(visit.res)
  const { keys } = locale.words
  const overlap = ({ state, validUntil: end }: SecretFacts) =>
    state === 'overlap' && end ? html`<div class="faint">${keys.overlapEnds(locale.moment(end))}</div>` : ''
  return [
    [keys.key, ({ key, secrets }) => html`<code>!${renderLtr(key)}</code>!${secrets.map(overlap)}`],
    [keys.state, ({ status }) => html`${keys.states[status]}`],
    [keys.kind, ({ kind }) => html`${keys.kinds[kind]}`],
    [keys.scopes, ({ scopes }) => html`${scopeText(scopes, keys)}`],
    [
      keys.addresses,
      ({ ipAllowlist: only }) =>
        only.length === 0 ? html`${keys.allAddresses}` : renderLtr(only.join(', ')),
    ],
    [keys.created, ({ createdAt }) => renderTime(locale, createdAt)],
    [keys.lastUsed, ({ lastUsedDay }) => html`<bdi>${lastUsedDay ?? keys.never}</bdi>`],
    ...settings.actionColumn(visit, right(visit), list, ({ id, status }: KeyFacts) =>
      status === 'revoked' ? {} : { [`${id}/rotate`]: keys.rotate, [`${id}/revoke`]: keys.revoke },
    ),
  ]
}

const scopeText = (scopes: KeyFacts['scopes'], { allScopes, scopeNames }: KeyTexts): string =>
  apiScopes.every((scope) => scopes.includes(scope))
    ? allScopes
    : scopes.map((scope) => scopeNames[scope]).join(' · ')

function liveAccess(visit: Visit): string {
  const { member, base, res } = visit
  const { liveTitle, liveText, requestLive, requested } = textsOf(visit)
  const { liveApproved, liveRequest } = member.business
  if (liveApproved) return ''
  const at = liveRequest && settings.settingsLocaleOf(res).moment(liveRequest.at)
  const link = html`<p><a class="button" href="${base}${list}/live-access">${requestLive}</a></p>`
  const state = at ? html`<p role="status">${requested(at)}</p>` : hasRight(visit, 'ask-for-live') ? link : ''
  return html`<h2>${liveTitle}</h2><div class="card"><p>${liveText}</p>!${state}</div>`
}

/** Adds one line to the audit trail until the business is approved, so it needs no quota. */
const liveAccessForm: FormPage<object> = {
  right: 'ask-for-live',
  path: `${list}/live-access`,
  find: async () => ({}),
  show(visit) {
    const { liveTitle: title, liveText, requestLive: button, requesting: busy } = textsOf(visit)
    return { title, about: html`<p>${liveText}</p>`, button, busy }
  },
  act: async ({ deps, caller }) => ({
    done: await requestLiveAccess(deps, caller.businessId, byCaller(caller)),
  }),
}

const newKeyForm = (kind: KeyKind): FormPage<object> => {
  const usable: readonly ApiScope[] = kind === 'secret' ? apiScopes : publishableScopes
  const typedOf = ({ req }: Visit) => {
    const { addresses, ...chosen } = readFormFields(req, 'addresses', ...usable)
    return { addresses, scopes: usable.filter((scope) => isSafeMethod(req) || chosen[scope] !== '') }
  }
  return {
    right,
    path: `${list}/new/${kind}`,
    find: async () => ({}),
    show(visit, _found, faults) {
      const keys = textsOf(visit)
      const { addresses: value, scopes } = typedOf(visit)
      const choices = usable.map((scope) => ({
        name: scope,
        text: html`${keys.scopeNames[scope]}`,
        isChosen: scopes.includes(scope),
      }))
      const attributes = 'dir="ltr" autocomplete="off" maxlength="1000"'
      const [label, hint, fault] = [keys.addresses, keys.addressesHint, faults.addresses]
      const fields =
        checkboxFields('scopes', { label: keys.scopes, fault: faults.scopes, choices }) +
        inputField('addresses', { label, hint, value, fault, attributes })
      const about = html`<p>${keys.aboutKind[kind]}</p>`
      return { title: keys.make[kind], about, fields, button: keys.makeIt, busy: keys.making }
    },
    async act(visit, _found, keyOf) {
      const { deps, caller } = visit
      const keys = textsOf(visit)
      const { addresses, scopes } = typedOf(visit)
      const ipAllowlist = addresses.split(/[\s,;]+/).filter((entry) => entry !== '')
      const fault = addressFault(ipAllowlist, keys)
      if (scopes.length === 0) return { faults: { scopes: keys.noScope, ...(fault && { addresses: fault }) } }
      if (fault !== null) return { faults: { addresses: fault } }
      const input = { businessId: caller.businessId, mode: modeOf(caller), kind, scopes, ipAllowlist }
      const result = await settings.runOwnAct(
        visit,
        (by) => issueOwnKey(deps, input, keyOf(), by),
        (made) => made !== 'too-many' && 'key' in made,
      )
      if ('notice' in result) return result
      if (result.done === 'too-many') return { notice: keys.tooMany }
      return shownOnce(visit, 'key' in result.done ? result.done.key : null)
    },
  }
}

const maxAddresses = 50

function addressFault(entries: readonly string[], keys: KeyTexts): string | null {
  if (entries.length > maxAddresses) return keys.tooManyAddresses
  const bad = entries.find((entry) => !isIpRange(entry))
  return bad === undefined ? null : keys.badAddress(bad)
}

/** Null if the form has made its key already, which can't be shown again. */
function shownOnce(visit: Visit, key: string | null): PersonPage {
  const { made, once, repeated, repeatedText } = textsOf(visit)
  return key === null
    ? settings.notePage(visit, { status: 409, title: repeated, notice: repeatedText, list })
    : settings.notePage(visit, { title: made, notice: once, more: settings.secretText(key), list })
}

const keyText = ({ key }: KeyFacts) => html`<p><code>!${renderLtr(key)}</code></p>`

const rotateForm: FormPage<KeyFacts> = {
  right,
  path: `${list}/:id/rotate`,
  find: findKey,
  show(visit, key) {
    const { rotateTitle: title, rotateText, overlap: label, overlaps: choices, ...keys } = textsOf(visit)
    const { overlap: value } = settings.typedOr(visit, { overlap: '86400' })
    const about = html`!${keyText(key)}<p>${rotateText}</p>`
    const fields = inputField('overlap', { label, choices, value })
    return { title, about, fields, button: keys.rotate, busy: keys.rotating }
  },
  async act(visit, { id, status }, keyOf) {
    const { overlaps, badOverlap } = textsOf(visit)
    const { overlap } = readFormFields(visit.req, 'overlap')
    if (!Object.hasOwn(overlaps, overlap)) return { faults: { overlap: badOverlap } }
    if (status === 'revoked') return { done: false }
    const result = await settings.runOwnAct(
      visit,
      (by) => rotateApiKey(visit.deps, id, Number(overlap), by, keyOf()),
      (issued) => issued !== null,
    )
    return 'notice' in result ? result : shownOnce(visit, result.done?.key ?? null)
  },
}

const revokeForm: FormPage<KeyFacts> = {
  right,
  path: `${list}/:id/revoke`,
  find: findKey,
  show(visit, key) {
    const { revokeTitle: title, revokeText, revoke: button, revoking: busy } = textsOf(visit)
    const about = html`!${keyText(key)}<p>${revokeText}</p>`
    return { title, about, button, busy, isDanger: true }
  },
  act: async (visit, { id, status }) =>
    status === 'revoked'
      ? { done: true }
      : settings.runOwnAct(visit, (by) => setKeyStatus(visit.deps, id, 'revoked', by)),
}
