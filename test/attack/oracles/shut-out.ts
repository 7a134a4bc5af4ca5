import { routes } from '../../../src/http/routes.ts'
import type { Oracle } from './seen.ts'

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/]+')}(\\?|$)`),
}))

/** Who is not let in gets nothing: no success of the API without a key that may, no page of the staff without a session of theirs. */
export const shutOut: Oracle = (seen) => {
  const { actor, answer, attack, line, staff } = seen
  const method = attack.method === 'HEAD' ? 'get' : attack.method.toLowerCase()
  const isSuccess = answer.status < 300 && /^\{"success":true|^handle,/.test(answer.body)
  if (isSuccess && attack.raw === null) {
    if (actor.let === 'nothing') return `let the key in that is ${actor.kind}`
    const route = patterns.find((each) => each.route.method === method && each.pattern.test(line))?.route
    if (actor.let === 'publishable' && !(route?.method === 'get' && 'key' in route && route.key === 'any'))
      return 'let a publishable key do what needs a secret one'
    if (actor.let === 'products:read' && route?.scope !== 'store.products:read')
      return 'let a key do what its scope is not for'
  }
  return staff.role === 'support' ? null : staffFault(seen)
}

/** What stands on every page behind the sign-in, and nowhere else. */
const behindSignIn = 'action="/admin/sign-out"'

const staffFault: Oracle = ({ staff, answer, attack, line }) => {
  if (!line.startsWith('/admin') || attack.raw !== null) return null
  if (staff.role === 'forged' && answer.body.includes(behindSignIn))
    return 'showed a page to somebody who is not signed in'
  const isAct = attack.method !== 'GET' && attack.method !== 'HEAD' && !line.startsWith('/admin/sign-')
  return isAct && answer.status < 400 && !(answer.headers.get('location') ?? '').startsWith('/admin/sign-in')
    ? `let somebody act who is ${staff.role}`
    : null
}
