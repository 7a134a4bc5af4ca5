import { departure } from '../../support/described.ts'
import { createPools, type Pools } from '../cast/pools.ts'
import { markup } from '../corpora/naughty-strings.ts'
import { createApart } from './apart.ts'
import { enveloped } from './enveloped.ts'
import { createOncePerKey } from './once-per-key.ts'
import { runOracles } from './run-oracles.ts'
import { dueOf, type Oracle, operationAt, type Seen } from './seen.ts'
import { silenceOracles } from './silence-oracles.ts'
import { staffFault } from './staff-fault.ts'

/** The two refusals of the 5xx kind that are meant: a business that is switched off, and a third who signs in at the same time. */
function isMeant({ actor, answer, attack, line }: Seen): boolean {
  const { status, body, headers } = answer
  if (status !== 503) return false
  // After HEAD there is nothing to read but when to come back.
  const isToldOff = body.includes('"FEATURE_DISABLED"') || attack.method === 'HEAD'
  const isOff = actor.kind === 'switched off' && isToldOff && headers.has('retry-after')
  const isSignIn = attack.method === 'POST' && line.startsWith('/admin/sign-in')
  const isCrowded = body.includes('Too many people are signing in right now.') && headers.has('retry-after')
  return isOff || (isSignIn && isCrowded)
}

/** Nothing that is sent is a fault of ours. */
export const noFault: Oracle = (seen) => {
  const { status, body } = seen.answer
  const isFault = (status < 200 || status >= 500) && !isMeant(seen)
  return isFault ? `answered ${status}: ${body.slice(0, 300)}` : null
}

/** A place in a line of a stack, or a file of ours. */
const inside = /\.[cm]?[jt]s:\d+:\d+|node:internal|node_modules|\/(src|dist|workers)\/[\w/-]+\.[jt]s\b/

/** No answer tells where in the program it was made, whatever went wrong. Bull Board's own page and files name their parts. */
export const nothingOfInside: Oracle = ({ answer, line }) => {
  const found = line.startsWith('/docs') || line.startsWith('/admin/queues') ? null : inside.exec(answer.body)
  return found === null ? null : `tells of its inside: ${found[0]}`
}

/** Bytes on a connection are the requests that any reader finds in them: no more are answered, and none is carried out whose end two readers see in two places. */
export const readOnce: Oracle = (seen) => {
  const { attack, answer, place } = seen
  if (attack.raw === null) return null
  const due = dueOf(seen)
  // What is no request, or not yet a whole one, may be refused at once.
  const isUnasked = due === null && (place > 0 || attack.raw.dues.length > 0)
  if (isUnasked) return `is answer ${place + 1}, of ${attack.raw.dues.length} that were asked for`
  const isRefusal = answer.status >= 400
  return (due === null || due === 'refused') && !isRefusal
    ? `answered ${answer.status} to what is no request`
    : null
}

/** No page has markup that somebody sent, no header a line of theirs, and nobody is sent to another site by us. */
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

/** An answer of an operation is as the description of the API has it. What is refused before anybody looks is in no description. */
export const asDescribed: Oracle = (seen) => {
  const { attack, line, answer } = seen
  if (attack.raw !== null || operationAt(attack.method, line) === null || isUnread(seen)) return null
  return departure(attack.method, line, {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    headers: [...answer.headers.keys()],
    body: attack.method === 'HEAD' || answer.body === '' ? null : answer.body,
  })
}

/** Refused by what reads HTTP: with such a refusal the connection ends. */
const isUnread = ({ answer }: Seen): boolean =>
  answer.status >= 400 && answer.headers.get('connection') === 'close'

/** Who is not let in gets nothing: no success of the API without a key that may, no page of the staff without a session of theirs, no act of theirs by a form of somebody else. */
export const shutOut: Oracle = (seen) => {
  const { attack, line } = seen
  if (attack.raw !== null) return rawFault(seen)
  return line.startsWith('/admin') ? staffFault(seen) : keyFault(seen)
}

/** The key is that of the bytes; where they have none, that of nobody. What must be refused to anybody is judged as such (read-once.ts). */
const rawFault = (seen: Seen): string | null => {
  if (dueOf(seen) === 'keyed') return keyFault(seen)
  return dueOf(seen) === 'keyless' && isSuccess(seen) ? 'let in who has no key' : null
}

/** After HEAD there is nothing to read but the status. */
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

/** What is demanded of every answer, by name. `pools` know to whom each id was given. */
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

/** All that is demanded. */
export const oracleNames: readonly string[] = [
  answerOracles(createPools()),
  silenceOracles,
  runOracles,
].flatMap(Object.keys)
