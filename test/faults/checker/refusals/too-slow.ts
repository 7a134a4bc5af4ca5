import { settles } from '../views/times.ts'
import type { Reason } from './refusal.ts'

/**
 * A connection that says nothing is answered 408 after 15 s (docs/api.md), at the next look, a second later at most. Its two ends do not
 * begin to count at one moment: a busy client hears late that it is open. So two seconds more before, and one after.
 */
const silence = { leastMs: 13_000, mostMs: 17_000 }

/** It came too late: where something stood still; or as the first on a connection whose time was over just then. */
export const tooSlow: Reason = ({ times }, { call: { silentMs }, span }) => {
  const isSilenced = silentMs !== null && silentMs >= silence.leastMs && silentMs <= silence.mostMs
  return isSilenced || !times.isCalm(span, settles.requests)
}
