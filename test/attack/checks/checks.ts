import { mismatchOf } from '../../support/check-responses.ts'
import { createPools, type Pools } from '../cast/pools.ts'
import { markup } from '../corpora/naughty-strings.ts'
import { createBusinessesApart } from './apart.ts'
import { enveloped } from './enveloped.ts'
import { type Check, type Exchange, expectedFor, operationAt } from './exchange.ts'
import { missingResponseChecks } from './missing-response.ts'
import { createOncePerKey } from './once-per-key.ts'
import { runChecks } from './run-checks.ts'
import { staffFault } from './staff-fault.ts'

/** Two kinds of 503 are intended: a disabled business, and too many concurrent sign-ins. */
function isIntended({ actor, response, attack, line }: Exchange): boolean {
  const { status, body, headers } = response
  if (status !== 503) return false
  // A response to HEAD has only Retry-After.
  const isRefusal = body.includes('"FEATURE_DISABLED"') || attack.method === 'HEAD'
  const isOff = actor.kind === 'switched off' && isRefusal && headers.has('retry-after')
  const isSignIn = attack.method === 'POST' && line.startsWith('/admin/sign-in')
  const isCrowded = body.includes('Too many people are signing in right now.') && headers.has('retry-after')
  return isOff || (isSignIn && isCrowded)
}

export const noFault: Check = (exchange) => {
  const { status, body } = exchange.response
  const isFault = (status < 200 || status >= 500) && !isIntended(exchange)
  return isFault ? `got ${status}: ${body.slice(0, 300)}` : null
}

const internals = /\.[cm]?[jt]s:\d+:\d+|node:internal|node_modules|\/(src|dist|workers)\/[\w/-]+\.[jt]s\b/

/** No stack traces or file names, except in Bull Board's and the reference's assets. */
export const noInternals: Check = ({ response, line }) => {
  const found = /^\/(docs|admin\/queues)/.test(line) ? null : internals.exec(response.body)
  return found === null ? null : `shows internals: ${found[0]}`
}

/** Bytes get at most as many responses as they contain requests, and a request with an ambiguous end is refused. */
export const readOnce: Check = (exchange) => {
  const { attack, response, index } = exchange
  if (attack.raw === null) return null
  const expected = expectedFor(exchange)
  // An invalid or incomplete request may be refused at once.
  const isExtra = expected === null && (index > 0 || attack.raw.expected.length > 0)
  if (isExtra) return `is response ${index + 1} to bytes with ${attack.raw.expected.length} requests`
  const isRefusal = response.status >= 400
  return (expected === null || expected === 'refused') && !isRefusal
    ? `got ${response.status} for bytes that are no valid request`
    : null
}

/** Markup from a request never reaches a page, a line never reaches a header, and no redirect leads to another site. */
export const escaped: Check = ({ response, line }) => {
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

/** Operations respond as the OpenAPI document says, except when the HTTP parser refuses the request. */
export const asDescribed: Check = (exchange) => {
  const { attack, line, response } = exchange
  if (attack.raw !== null || operationAt(attack.method, line) === null || isUnread(exchange)) return null
  return mismatchOf(attack.method, line, {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    headers: [...response.headers.keys()],
    body: attack.method === 'HEAD' || response.body === '' ? null : response.body,
  })
}

/** When the HTTP parser refuses a request, the connection closes. */
const isUnread = ({ response }: Exchange): boolean =>
  response.status >= 400 && response.headers.get('connection') === 'close'

/** The API requires a key with rights, staff pages a session, and staff actions a form of that session. */
export const accessRefused: Check = (exchange) => {
  const { attack, line } = exchange
  if (attack.raw !== null) return rawFault(exchange)
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

export const checkNames: readonly string[] = [
  responseChecks(createPools()),
  missingResponseChecks,
  runChecks,
].flatMap(Object.keys)
