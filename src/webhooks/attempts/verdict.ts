import { maxAttempts } from '../../../schemas/retry-table.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import type { Attempt } from '../sender/send.ts'

/** What an attempt changes in its delivery. */
type Verdict = Pick<Delivery, 'status' | 'nextAttemptAt' | 'deliveredAt' | 'deadAt'>

/**
 * Determines the outcome of an attempt. `attempts` is the attempt number, starting at 1 and not counting manually
 * requested attempts. The wait for the next attempt begins at `endedAt` (SPEC 6.4), whatever the endpoint's Retry-After
 * header says. `steps` contains the wait times from the retry table, in milliseconds.
 */
export function judge(sent: Attempt, attempts: number, steps: readonly number[], endedAt: Date): Verdict {
  const times = { nextAttemptAt: null, deliveredAt: null, deadAt: null }
  if (sent.stage === null) return { ...times, status: 'DELIVERED', deliveredAt: endedAt }
  const wait = steps[attempts - 1]
  if (attempts >= maxAttempts || wait === undefined) return { ...times, status: 'DEAD', deadAt: endedAt }
  return { ...times, status: 'RETRYING', nextAttemptAt: new Date(endedAt.getTime() + wait) }
}
