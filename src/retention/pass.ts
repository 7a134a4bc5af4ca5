import { newId } from '../security/ids.ts'
import { lastDue } from './night.ts'
import type { Pass, RetentionRecord } from './record.ts'

/**
 * The pass that is not through yet, or a new one. One that takes longer than a day goes on into the next night, or those that come last would
 * never have their turn; one that only waits for businesses that fail does not, for the others' sake.
 */
export function startPass({ pass }: RetentionRecord, now: Date): Pass {
  const goesOn = pass !== null && !(pass.hasFaults && pass.beganAt < lastDue(now))
  return goesOn ? pass : { id: newId(), beganAt: now, hasFaults: false }
}
