import { newId } from '../security/ids.ts'
import { lastDue } from './night.ts'
import type { Pass, RetentionRecord } from './record.ts'

/**
 * Returns the unfinished pass, or a new one. A pass that takes longer than a day continues in the next night. Otherwise
 * the last businesses would never be cleaned. A pass that only repeats businesses that failed ends with the next night,
 * so that all others are cleaned again.
 */
export function startPass({ pass }: RetentionRecord, now: Date): Pass {
  const continues = pass !== null && !(pass.hasFaults && pass.beganAt < lastDue(now))
  return continues ? pass : { id: newId(), beganAt: now, hasFaults: false }
}
