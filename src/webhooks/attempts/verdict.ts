import type { DeliveryStatus } from '../../../schemas/list-deliveries.ts'
import { maxAttempts } from '../../../schemas/retry-table.ts'
import type { AttemptRecord } from '../deliveries/delivery.ts'
import type { Attempt } from '../sender/send.ts'

/** The outcome of an attempt, and the new values of the delivery's time fields. */
export type Verdict =
  | { outcome: 'delivered'; nextAttemptAt: null; deliveredAt: Date; deadAt: null }
  | { outcome: 'retrying'; nextAttemptAt: Date; deliveredAt: null; deadAt: null }
  | { outcome: 'dead'; nextAttemptAt: null; deliveredAt: null; deadAt: Date }

export const statusAfter = {
  delivered: 'DELIVERED',
  retrying: 'RETRYING',
  dead: 'DEAD',
} as const satisfies Record<Verdict['outcome'], DeliveryStatus>

/**
 * Determines the outcome of an attempt. `attempts` is the attempt number, starting at 1 and not counting manually
 * requested attempts. The wait for the next attempt begins at `endedAt` (SPEC 6.4), whatever the endpoint's Retry-After
 * header says. `steps` contains the wait times from the retry table, in milliseconds.
 */
export function judge(sent: Attempt, attempts: number, steps: readonly number[], endedAt: Date): Verdict {
  if (sent.outcome === 'delivered')
    return { outcome: 'delivered', nextAttemptAt: null, deliveredAt: endedAt, deadAt: null }
  const wait = steps[attempts - 1]
  if (attempts >= maxAttempts || wait === undefined)
    return { outcome: 'dead', nextAttemptAt: null, deliveredAt: null, deadAt: endedAt }
  const nextAttemptAt = new Date(endedAt.getTime() + wait)
  return { outcome: 'retrying', nextAttemptAt, deliveredAt: null, deadAt: null }
}

/** Converts an attempt to the record that is stored in its delivery. */
export function recordOf(at: Date, url: string, sent: Attempt): AttemptRecord {
  const durationMs = Math.round(sent.durationMs)
  if (sent.outcome === 'unreachable')
    return { at, url, durationMs, status: null, stage: sent.stage, error: sent.reason, responseText: null }
  const stage = sent.outcome === 'refused' ? 'status' : null
  return { at, url, durationMs, status: sent.status, stage, error: null, responseText: sent.responseText }
}
