import { operationAt } from './operation-at.ts'
import type { Oracle } from './seen.ts'
import { staffFault } from './staff-fault.ts'

/** Who is not let in gets nothing: no success of the API without a key that may, no page of the staff without a session of theirs, no act of theirs by a form of somebody else. */
export const shutOut: Oracle = (seen) => {
  const { attack, line } = seen
  if (attack.raw !== null) return null
  return line.startsWith('/admin') ? staffFault(seen) : keyFault(seen)
}

const keyFault: Oracle = ({ actor, answer, attack, line }) => {
  const isSuccess = answer.status < 300 && /^\{"success":true|^handle,/.test(answer.body)
  if (!isSuccess) return null
  if (actor.let === 'nothing') return `let the key in that is ${actor.kind}`
  const route = operationAt(attack.method, line)
  if (actor.let === 'publishable' && !(route?.method === 'get' && 'key' in route && route.key === 'any'))
    return 'let a publishable key do what needs a secret one'
  return actor.let === 'products:read' && route?.scope !== 'store.products:read'
    ? 'let a key do what its scope is not for'
    : null
}
