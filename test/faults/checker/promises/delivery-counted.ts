import { maxLogLength, type Trail, trailsOf } from '../attempts.ts'
import { steadyEndpoints } from '../endpoints.ts'
import type { Check, Findings } from '../round.ts'
import { settles } from '../times.ts'

/** SPEC 6.4 */
const maxAttempts = 8
/** The longest time between the end of an attempt and its record. */
export const recordMs = 3000

/**
 * Each delivery ends as DELIVERED, as CANCELLED with its endpoint, or as DEAD after exactly 8 failed attempts and one
 * more per re-queue. An attempt that a fault interrupts does not count.
 */
export const deliveryCounted: Check = function* (round) {
  const steady = new Set(steadyEndpoints(round).map(({ _id }) => _id))
  for (const trail of trailsOf(round)) {
    const { _id, status, requeues, attempts, endpointId } = trail.delivery
    yield* end(trail, round.replaysOf(trail.delivery).length)
    if (status === 'CANCELLED' && steady.has(endpointId))
      yield [_id, 'is CANCELLED, but its endpoint was never deleted or disabled']
    if (attempts <= maxLogLength && attempts !== trail.attempts.length)
      yield [_id, `counts ${attempts} attempts, and ${trail.attempts.length} are recorded`]
    const most = maxAttempts + requeues
    if (attempts > most || (status === 'DEAD' && attempts !== most))
      yield [_id, `is ${status} after ${attempts} attempts, ${requeues} of them re-queued`]
    if (attempts > maxLogLength || status === 'CANCELLED') continue
    for (const arrival of trail.arrivals) {
      const span = { from: arrival.at, to: arrival.done + recordMs }
      const isDue = round.isDueOfWrites('delivery.counted', span, settles.requests)
      if (isDue && trail.unrecorded.includes(arrival))
        yield [_id, `has no record of its arrival at ${new Date(arrival.at).toISOString()}, without a fault`]
    }
  }
}

/** Only a replay re-queues a delivery that was accepted. */
function* end({ delivery, attempts }: Trail, replays: number): Findings {
  const { _id, status, nextAttemptAt, leaseToken, deliveredAt } = delivery
  if (status === 'PENDING' || status === 'RETRYING') yield [_id, `is ${status} at the end`]
  else if (nextAttemptAt !== null) yield [_id, `is ${status} and has a next attempt`]
  if (leaseToken !== null) yield [_id, `is ${status} and has a lease`]
  const accepted = attempts.filter((attempt) => isAccepted(attempt.status)).length
  const isLast = isAccepted(attempts.at(-1)?.status ?? null)
  if (accepted - Number(isLast) > replays) yield [_id, 'was attempted again after it was accepted']
  const isDelivered = status === 'DELIVERED'
  const isRight = isLast === isDelivered || (replays > 0 && status === 'CANCELLED')
  if (!isRight || (deliveredAt !== null) !== isDelivered)
    yield [_id, `is ${status}, and its last attempt was ${isLast ? '' : 'not '}accepted`]
}

export const isAccepted = (status: number | null): boolean => status !== null && status >= 200 && status < 300
