import { newId } from '../security/ids.ts'
import { lastDue } from './night.ts'
import type { Pass, RetentionRecord } from './record.ts'

/**
 * Returns the unfinished pass, or a new one. A pass that takes longer than a day continues the next night, because
 * otherwise the last businesses would never be cleaned. A pass that only retries failed businesses ends when the next
 * night's clean-up is due, so that all other businesses are cleaned again.
 */
export function startPass({ pass }: RetentionRecord, now: Date): Pass {
  const continues = pass !== null && !(pass.hasFaults && pass.beganAt < lastDue(now))
  return continues ? pass : { id: newId(), beganAt: now, hasFaults: false }
}
