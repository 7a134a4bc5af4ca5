import { operationAt } from './operation-at.ts'
import { dueOf, type Oracle, type Seen } from './seen.ts'
import { staffFault } from './staff-fault.ts'

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
