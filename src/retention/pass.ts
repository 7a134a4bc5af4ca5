import { newId } from '../security/ids.ts'
import { lastDue } from './night.ts'
import type { Pass, RetentionRecord } from './record.ts'

/**
 * Returns the pass to which the run belongs: the unfinished pass, or a new pass. If a pass takes longer than a day, it
 * continues the next night, because otherwise the last businesses would never be cleaned. If only failed businesses are
 * left to retry, the pass is replaced with a new pass when the next night's clean-up is due, so that all other
 * businesses are cleaned again.
 */
export function startPass({ pass }: RetentionRecord, now: Date): Pass {
  const continues = pass !== null && !(pass.hasFaults && pass.beganAt < lastDue(now))
  return continues ? pass : { id: newId(), beganAt: now, hasFaults: false }
}
