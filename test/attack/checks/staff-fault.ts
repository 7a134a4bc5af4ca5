import type { Check, Exchange } from './exchange.ts'

/** Below /admin, requests without a right and forged forms must be refused. */
export const staffFault: Check = (exchange) => {
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

const sendsToSignIn = ({ response }: Exchange): boolean =>
  response.status === 303 && response.headers.get('location')?.startsWith('/admin/sign-in?to=') === true

const isAct = ({ attack }: Exchange): boolean => attack.method !== 'GET' && attack.method !== 'HEAD'

/** Needs no session: a refusal, the sign-in with its redirect and stylesheet, and the page that awaits the cookie. */
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
    path === '/admin/style.css' ||
    isCrowded ||
    isForm ||
    (response.status === 200 && isStep)
  )
}

const isAsStep = ({ attack, staff }: Exchange): boolean => staff.cookie === null && attack.site !== 'own'

const browserHeaders = /^(origin|sec-fetch-|host$|x-forwarded-host)/i

/** Another site's page can't set these headers. */
const isFromOwnSite = ({ attack }: Exchange): boolean =>
  attack.site === 'own' || attack.headers.some(([name]) => browserHeaders.test(name))

const hasToken = ({ attack }: Exchange): boolean => {
  const sent = new URLSearchParams(String(attack.body ?? '')).getAll('csrf')
  return sent.length === 1 && sent[0] === '~csrf~'
}
