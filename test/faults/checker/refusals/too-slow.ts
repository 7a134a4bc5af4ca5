import { settles } from '../views/times.ts'
import type { Reason } from './refusal.ts'

/** A connection that says nothing for 15 s is answered 408 (docs/api.md), at the next look, a second later at most; a second more is ours. */
const silence = { leastMs: 15_000, mostMs: 17_000 }

/**
 * It came too late: where something stood still; or on a connection on which nothing had come before, as its time was over just then. The
 * driver's client has one such for every call that it gave up at that process: it opens another at once, and sends nothing on it yet.
 */
export const tooSlow: Reason = ({ times, calls }, { call, span }) => {
  const isSilenced = calls.some(({ origin, status, ended }) => {
    const silentMs = call.ended - ended
    return (
      origin === call.origin && status === null && silentMs >= silence.leastMs && silentMs <= silence.mostMs
    )
  })
  return isSilenced || !times.isCalm(span, settles.requests)
}
