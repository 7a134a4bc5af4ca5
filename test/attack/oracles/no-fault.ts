import type { Oracle, Seen } from './seen.ts'

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
