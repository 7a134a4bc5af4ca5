import type { Oracle } from './seen.ts'

/** The two refusals of the 5xx kind that are meant: a business that is switched off, and a third who signs in at the same time. */
const isMeant: Oracle = ({ actor, answer, line }) => {
  const isOff = actor.kind === 'switched off' && answer.body.includes('"FEATURE_DISABLED"')
  const isCrowded = line.startsWith('/admin/sign-in') && answer.headers.has('retry-after')
  return isOff || isCrowded ? 'meant' : null
}

/** Nothing that is sent is a fault of ours. */
export const noFault: Oracle = (seen) => {
  const { status, body } = seen.answer
  const isFault = status < 200 || status >= 500
  return isFault && (status < 500 || isMeant(seen) === null)
    ? `answered ${status}: ${body.slice(0, 300)}`
    : null
}
