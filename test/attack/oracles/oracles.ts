import { mismatchOf } from '../../support/check-responses.ts'
import { createPools, type Pools } from '../cast/pools.ts'
import { markup } from '../corpora/naughty-strings.ts'
import { createApart } from './apart.ts'
import { enveloped } from './enveloped.ts'
import { createOncePerKey } from './once-per-key.ts'
import { runOracles } from './run-oracles.ts'
import { dueOf, type Oracle, operationAt, type Seen } from './seen.ts'
import { silenceOracles } from './silence-oracles.ts'
import { staffFault } from './staff-fault.ts'

/** The two intended 503s: a business that is switched off, and too many concurrent sign-ins. */
function isMeant({ actor, answer, attack, line }: Seen): boolean {
  const { status, body, headers } = answer
  if (status !== 503) return false
  // A response to HEAD has only Retry-After.
  const isToldOff = body.includes('"FEATURE_DISABLED"') || attack.method === 'HEAD'
  const isOff = actor.kind === 'switched off' && isToldOff && headers.has('retry-after')
  const isSignIn = attack.method === 'POST' && line.startsWith('/admin/sign-in')
  const isCrowded = body.includes('Too many people are signing in right now.') && headers.has('retry-after')
  return isOff || (isSignIn && isCrowded)
}

/** No request causes a 5xx. */
export const noFault: Oracle = (seen) => {
  const { status, body } = seen.answer
  const isFault = (status < 200 || status >= 500) && !isMeant(seen)
  return isFault ? `answered ${status}: ${body.slice(0, 300)}` : null
}

/** A line of a stack trace, or a file of the service. */
const inside = /\.[cm]?[jt]s:\d+:\d+|node:internal|node_modules|\/(src|dist|workers)\/[\w/-]+\.[jt]s\b/

/** No response contains a stack trace or a file name. Bull Board's own assets name their parts. */
export const nothingOfInside: Oracle = ({ answer, line }) => {
  const found = line.startsWith('/docs') || line.startsWith('/admin/queues') ? null : inside.exec(answer.body)
  return found === null ? null : `tells of its inside: ${found[0]}`
}

/** Bytes get no more responses than they contain requests, and a request with an ambiguous end is refused. */
export const readOnce: Oracle = (seen) => {
  const { attack, answer, place } = seen
  if (attack.raw === null) return null
  const due = dueOf(seen)
  // An invalid or incomplete request may be refused at once.
  const isUnasked = due === null && (place > 0 || attack.raw.dues.length > 0)
  if (isUnasked) return `is answer ${place + 1}, of ${attack.raw.dues.length} that were asked for`
  const isRefusal = answer.status >= 400
  return (due === null || due === 'refused') && !isRefusal
    ? `answered ${answer.status} to what is no request`
    : null
}

/** No page contains markup from a request, no header a line from one, and no redirect leads to another site. */
export const escaped: Oracle = ({ answer, line }) => {
  if (answer.headers.get('content-type')?.startsWith('text/html') === true && answer.body.includes(markup))
    return `has markup from outside: ${around(answer.body, markup)}`
  if (answer.cookies.some((cookie) => cookie.startsWith('a=b'))) return 'sets a cookie from outside'
  const to = answer.headers.get('location') ?? ''
  return to !== '' && (!/^\/(?![/\\])/.test(to) || line.includes(`to=${to}x`)) ? `leads to ${to}` : null
}

function around(text: string, part: string): string {
  const at = text.indexOf(part)
  return text.slice(Math.max(0, at - 80), at + 80)
}

/** A response of an operation matches the OpenAPI document, except refusals by the HTTP parser. */
export const asDescribed: Oracle = (seen) => {
  const { attack, line, answer } = seen
  if (attack.raw !== null || operationAt(attack.method, line) === null || isUnread(seen)) return null
  return mismatchOf(attack.method, line, {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    headers: [...answer.headers.keys()],
    body: attack.method === 'HEAD' || answer.body === '' ? null : answer.body,
  })
}

/** A refusal by the HTTP parser closes the connection. */
const isUnread = ({ answer }: Seen): boolean =>
  answer.status >= 400 && answer.headers.get('connection') === 'close'

/** The API needs a key with the right, staff pages a session, and a staff act a form of its own session. */
export const shutOut: Oracle = (seen) => {
  const { attack, line } = seen
  if (attack.raw !== null) return rawFault(seen)
  return line.startsWith('/admin') ? staffFault(seen) : keyFault(seen)
}

/** Raw bytes have the key that stands in them, or none. */
const rawFault = (seen: Seen): string | null => {
  if (dueOf(seen) === 'keyed') return keyFault(seen)
  return dueOf(seen) === 'keyless' && isSuccess(seen) ? 'let in who has no key' : null
}

/** A response to HEAD has only its status. */
const isSuccess = ({ answer, attack, line }: Seen): boolean =>
  answer.status < 300 &&
  (attack.method === 'HEAD'
    ? operationAt(attack.method, line) !== null
    : /^\{"success":true|^handle,/.test(answer.body))

const keyFault: Oracle = (seen) => {
  const { actor, attack, line } = seen
  if (!isSuccess(seen)) return null
  if (actor.let === 'nothing') return `let the key in that is ${actor.kind}`
  const route = operationAt(attack.method, line)
  if (actor.let === 'publishable' && !(route?.method === 'get' && 'key' in route && route.key === 'any'))
    return 'let a publishable key do what needs a secret one'
  return actor.let === 'products:read' && route?.scope !== 'store.products:read'
    ? 'let a key do what its scope is not for'
    : null
}

/** The oracles for every response, by name. `pools` knows the owner of each id. */
export const answerOracles = (pools: Pick<Pools, 'holderOf'>): Readonly<Record<string, Oracle>> => ({
  'no fault': noFault,
  enveloped,
  'as described': asDescribed,
  'shut out': shutOut,
  apart: createApart(pools),
  escaped,
  'nothing of inside': nothingOfInside,
  'once per key': createOncePerKey(),
  'read once': readOnce,
})

/** All oracles. */
export const oracleNames: readonly string[] = [
  answerOracles(createPools()),
  silenceOracles,
  runOracles,
].flatMap(Object.keys)
