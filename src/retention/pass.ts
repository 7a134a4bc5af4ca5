import { newId } from '../security/ids.ts'
import { lastDue } from './night.ts'
import type { Pass, RetentionRecord } from './record.ts'

/**
 * Returns the pass to which this run belongs: the unfinished pass, or a new one. A pass that takes longer than a day
 * continues the next night, because otherwise the clean-up would never reach the last businesses. If the only
 * businesses left are those whose clean-up failed, a new pass starts when the next night's clean-up is due, so that the
 * other businesses do not have to wait.
 */
export function startPass({ pass }: RetentionRecord, now: Date): Pass {
  const continues = pass !== null && !(pass.hasFaults && pass.beganAt < lastDue(now))
  return continues ? pass : { id: newId(), beganAt: now, hasFaults: false }
}
