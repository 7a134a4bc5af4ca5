import { mismatchOf } from '../../support/check-responses.ts'
import { createPools, type Pools } from '../cast/pools.ts'
import { tagsIn } from '../cast/references.ts'
import { markup } from '../corpora/naughty-strings.ts'
import { parsed } from '../wire/response.ts'
import { enveloped } from './enveloped.ts'
import { type Check, type Exchange, expectedFor, isForPeople, operationAt } from './exchange.ts'
import { missingResponseChecks } from './missing-response.ts'
import { createOncePerKey } from './once-per-key.ts'
import { runChecks } from './run-checks.ts'

const provesIdentity = /^\/(admin|portal)\/(sign-in|confirm|invitation|set-password|account\/)/
const crowded = /Too many people are signing in|Trop de personnes se connectent|عدد من يسجّلون/

/** Two kinds of 503 are intended: a disabled business, and too many concurrent sign-ins. */
function isIntended({ actor, response, attack, line }: Exchange): boolean {
  const { status, body, headers } = response
  if (status !== 503) return false
  const isRefusal = body.includes('"FEATURE_DISABLED"') || attack.method === 'HEAD'
  const isOff = actor.kind === 'switched off' && isRefusal && headers.has('retry-after')
  const isSignIn = attack.method === 'POST' && provesIdentity.test(line)
  const isCrowded = crowded.test(body) && headers.has('retry-after')
  return isOff || (isSignIn && isCrowded)
}

const noFault: Check = (exchange) => {
  const { status, body } = exchange.response
  const isFault = (status < 200 || status >= 500) && !isIntended(exchange)
  return isFault ? `got ${status}: ${body.slice(0, 300)}` : null
}

const internals = /\.[cm]?[jt]s:\d+:\d+|node:internal|node_modules|\/(src|dist|workers)\/[\w/-]+\.[jt]s\b/

const noInternals: Check = ({ response, line }) => {
  const found = /^\/(docs|admin\/queues)/.test(line) ? null : internals.exec(response.body)
  return found === null ? null : `shows internals: ${found[0]}`
}

const readOnce: Check = (exchange) => {
  const { attack, response, index } = exchange
  if (attack.raw === null) return null
  const expected = expectedFor(exchange)
  const isExtra = expected === null && (index > 0 || attack.raw.expected.length > 0)
  if (isExtra) return `is response ${index + 1} to bytes with ${attack.raw.expected.length} requests`
  const isRefusal = response.status >= 400
  return (expected === null || expected === 'refused') && !isRefusal
    ? `got ${response.status} for bytes that are no valid request`
    : null
}

const escaped: Check = ({ response, line }) => {
  const isHtml = response.headers.get('content-type')?.startsWith('text/html') === true
  if (isHtml && response.body.includes(markup))
    return `contains markup from a request: ${around(response.body, markup)}`
  if (response.cookies.some((cookie) => cookie.startsWith('a=b'))) return 'sets a cookie from a request'
  const to = response.headers.get('location') ?? ''
  return to !== '' && (!/^\/(?![/\\])/.test(to) || line.includes(`to=${to}x`)) ? `leads to ${to}` : null
}

function around(text: string, part: string): string {
  const at = text.indexOf(part)
  return text.slice(Math.max(0, at - 80), at + 80)
}

const asDescribed: Check = (exchange) => {
  const { attack, line, response } = exchange
  if (attack.raw !== null || operationAt(attack.method, line) === null || isUnread(exchange)) return null
  return mismatchOf(attack.method, line, {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    headers: [...response.headers.keys()],
    body: attack.method === 'HEAD' || response.body === '' ? null : response.body,
  })
}

const isUnread = ({ response }: Exchange): boolean =>
  response.status >= 400 && response.headers.get('connection') === 'close'

const accessRefused: Check = (exchange) => {
  const { attack, line } = exchange
  if (attack.raw !== null) return rawFault(exchange)
  if (isForPeople(line)) return personFault(exchange)
  return line.startsWith('/admin') ? staffFault(exchange) : keyFault(exchange)
}

const rawFault = (exchange: Exchange): string | null => {
  if (expectedFor(exchange) === 'keyed') return keyFault(exchange)
  return expectedFor(exchange) === 'keyless' && isSuccess(exchange) ? 'gives access without a key' : null
}

const isSuccess = ({ response, attack, line }: Exchange): boolean =>
  response.status < 300 &&
  (attack.method === 'HEAD'
    ? operationAt(attack.method, line) !== null
    : /^\{"success":true|^handle,/.test(response.body))

const keyFault: Check = (exchange) => {
  const { actor, attack, line } = exchange
  if (!isSuccess(exchange)) return null
  if (actor.rights === 'nothing') return `gives access to a key of kind ${actor.kind}`
  const route = operationAt(attack.method, line)
  if (actor.rights === 'publishable' && !(route?.method === 'get' && 'key' in route && route.key === 'any'))
    return 'lets a publishable key run an operation for secret keys'
  return actor.rights === 'products:read' && route?.scope !== 'store.products:read'
    ? 'lets a key run an operation outside its scope'
    : null
}

const staffFault: Check = (exchange) => {
  const { staff, response, line } = exchange
  const isOut = staff.role === 'forged' || staff.role === 'absent'
  if (isOut && !isPublic(exchange)) return `got ${response.status} without being signed in`
  if (!isAct(exchange) || response.status >= 400 || sendsToSignIn(exchange)) return null
  const isSignIn = line.startsWith('/admin/sign-in')
  // Every role may sign out, search, and manage its own account.
  const isForAll = /^\/admin\/(sign-out|search|account\/)/.test(line)
  if (staff.role === 'viewer' && !isSignIn && !isForAll) return 'lets a viewer act'
  if (!isFromOwnSite(exchange)) return `accepts an action from another site (${exchange.attack.site})`
  return isSignIn || line.startsWith('/admin/queues') || hasToken(exchange)
    ? null
    : 'accepts a form without the token of its session'
}

/** What needs no role in a business: a person's own account. */
const ofOwnAccount = /^\/portal\/(sign-out|confirm|invitation|account\/)/
const ofStrangers = /^\/portal\/(sign-in|set-password|invitation|\w+\.(css|js))/

const personFault: Check = (exchange) => {
  const { staff, response, line, attack } = exchange
  const isOut = staff.role === 'forged' || staff.role === 'absent'
  const { status } = response
  const isRefused = status >= 400 || sendsToSignIn(exchange)
  const isStep = response.body.includes('http-equiv="refresh" content="0"') || attack.method === 'HEAD'
  if (isOut && !isRefused && !ofStrangers.test(line) && !isStep)
    return `got ${status} without being signed in`
  if (isRefused || !isAct(exchange) || attack.method === 'HEAD') return null
  if (!isFromOwnSite(exchange)) return `accepts an action from another site (${attack.site})`
  if (ofStrangers.test(line)) return null
  if (!hasToken(exchange)) return 'accepts a form without the token of its session'
  if (ofOwnAccount.test(line)) return null
  if (line.split('/')[2] !== staff.businessId) return 'lets a person act in another business'
  const mayAct = staff.role === 'owner' || (staff.role === 'cashier' && line.startsWith('/till/'))
  return mayAct ? null : `lets a person with the role ${staff.role} act`
}

const sendsToSignIn = ({ response }: Exchange): boolean =>
  response.status === 303 &&
  /^\/(admin|portal)\/sign-in(\?to=|$)/.test(response.headers.get('location') ?? '')
const isAct = ({ attack }: Exchange): boolean => attack.method !== 'GET' && attack.method !== 'HEAD'

/** What needs no session: a refusal, the sign-in with its redirect, and the page awaiting the cookie. */
const isPublic = (exchange: Exchange): boolean => {
  const { response, attack, line } = exchange
  const [path] = line.split('?')
  const isCrowded = path === '/admin/sign-in' && response.status === 503
  const isForm = path === '/admin/sign-in' && !isAct(exchange)
  // A response to HEAD shows nothing.
  const isHead = attack.method === 'HEAD'
  const isStep = response.body.includes('<h1>One moment</h1>') || (isHead && isAsStep(exchange))
  return (
    (response.status >= 400 && response.status < 500) ||
    sendsToSignIn(exchange) ||
    isCrowded ||
    isForm ||
    (response.status === 200 && isStep)
  )
}

const isAsStep = ({ attack, staff }: Exchange): boolean => staff.cookie === null && attack.site !== 'own'
const browserHeaders = /^(origin|sec-fetch-|host$|x-forwarded-host)/i

const isFromOwnSite = ({ attack }: Exchange): boolean =>
  attack.site === 'own' || attack.headers.some(([name]) => browserHeaders.test(name))

const hasToken = ({ attack }: Exchange): boolean => {
  const sent = new URLSearchParams(String(attack.body ?? '')).getAll('csrf')
  return sent.length === 1 && sent[0] === '~csrf~'
}

const createBusinessesApart =
  (pools: Pick<Pools, 'holderOf'>): Check =>
  (exchange) => {
    const { actor, response, line, attack } = exchange
    if (attack.raw === null && isForPeople(line)) {
      // The links to other languages repeat the query.
      const strange = tagsIn(response.body).some(
        ({ owner, number }) => owner !== exchange.staff.owner && number !== exchange.number,
      )
      return strange ? 'shows a person data of another business' : null
    }
    // Staff see all businesses, and the payment page needs only the link.
    if (attack.raw === null && !line.startsWith('/api/')) return null
    const tags = tagsIn(response.body)
    if (expectedFor(exchange) === 'keyless' && tags.length > 0)
      return 'shows data of a business to a caller without a key'
    if (tags.some(({ owner }) => owner !== actor.owner)) return 'shows data of another business'
    if (tags.some(({ mode }) => ![null, actor.mode].includes(mode))) return 'shows the other environment'
    return resourceFault(pools, exchange)
  }

const ids = /^(_?id|referenceNumber|reference_number|endpointId|productId)$/

function resourceFault(pools: Pick<Pools, 'holderOf'>, { actor, line, response }: Exchange): string | null {
  if (!response.body.startsWith('{"success":true')) return null
  for (const [name, value] of fieldsOf(parsed(response))) {
    // A live key may list test endpoints.
    const isRequested = actor.mode === 'live' && line.includes('/dev/webhooks?') && line.includes('sandbox=')
    const isWrong = name === 'sandbox' && value === (actor.mode === 'live')
    if (isWrong && !isRequested) return `says sandbox: ${value}`
    const holder = ids.test(name) && typeof value === 'string' ? pools.holderOf(value) : null
    if (holder === null) continue
    if (holder.owner !== actor.owner) return `shows ${name} ${String(value)} of another business`
    if (holder.mode !== null && holder.mode !== actor.mode)
      return `shows ${name} ${String(value)} of the other environment`
  }
  return null
}

function fieldsOf(part: unknown): [name: string, value: unknown][] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part)
    .filter(([name]) => name !== 'metadata')
    .flatMap(([name, value]) => [[name, value] as [string, unknown], ...fieldsOf(value)])
}

export const responseChecks = (pools: Pick<Pools, 'holderOf'>): Readonly<Record<string, Check>> => ({
  'no fault': noFault,
  enveloped,
  'as described': asDescribed,
  'access refused': accessRefused,
  'businesses apart': createBusinessesApart(pools),
  escaped,
  'no internals shown': noInternals,
  'once per key': createOncePerKey(),
  'read once': readOnce,
})

const allChecks = [responseChecks(createPools()), missingResponseChecks, runChecks]
export const checkNames: readonly string[] = allChecks.flatMap(Object.keys)
