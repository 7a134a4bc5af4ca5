import type { Oracle, Seen } from './seen.ts'

/** Checks a response below /admin to a request that is not allowed, or to a forged form. */
export const staffFault: Oracle = (seen) => {
  const { staff, answer, line } = seen
  const isOut = staff.role === 'forged' || staff.role === 'absent'
  if (isOut && !isForAnybody(seen)) return `answered ${answer.status} to somebody who is not signed in`
  if (!isAct(seen) || answer.status >= 400 || sendsToSignIn(seen)) return null
  const isSignIn = line.startsWith('/admin/sign-in')
  const isSignOut = line.startsWith('/admin/sign-out')
  if (staff.role === 'viewer' && !isSignIn && !isSignOut) return 'let somebody act who may only look'
  if (!isFromOwnSite(seen)) return `took an act of a page that is not ours (${seen.attack.site})`
  return isSignIn || line.startsWith('/admin/queues') || hasToken(seen)
    ? null
    : 'took a form without the token of its session'
}

const sendsToSignIn = ({ answer }: Seen): boolean =>
  answer.status === 303 && answer.headers.get('location')?.startsWith('/admin/sign-in?to=') === true

const isAct = ({ attack }: Seen): boolean => attack.method !== 'GET' && attack.method !== 'HEAD'

/** Responses without a session: a refusal, the redirect to the sign-in, its form, the stylesheet, and the page that reloads for the cookie. */
const isForAnybody = (seen: Seen): boolean => {
  const { answer, attack, line } = seen
  const [path] = line.split('?')
  const isCrowded = path === '/admin/sign-in' && answer.status === 503
  const isForm = path === '/admin/sign-in' && !isAct(seen)
  // A response to HEAD shows nothing.
  const isStep = answer.body.includes('<h1>One moment</h1>') || (attack.method === 'HEAD' && isAsStep(seen))
  return (
    (answer.status >= 400 && answer.status < 500) ||
    sendsToSignIn(seen) ||
    path === '/admin/style.css' ||
    isCrowded ||
    isForm ||
    (answer.status === 200 && isStep)
  )
}

const isAsStep = ({ attack, staff }: Seen): boolean => staff.cookie === null && attack.site !== 'own'

const saysMore = /^(origin|sec-fetch-|host$|x-forwarded-host)/i

/** A page of another site cannot set these headers. */
const isFromOwnSite = ({ attack }: Seen): boolean =>
  attack.site === 'own' || attack.headers.some(([name]) => saysMore.test(name))

/** Exactly one token, that of the session. */
const hasToken = ({ attack }: Seen): boolean => {
  const sent = new URLSearchParams(String(attack.body ?? '')).getAll('csrf')
  return sent.length === 1 && sent[0] === '~csrf~'
}
