import type { Arrival } from '../../evidence/evidence.ts'
import { type Attempt, maxLogLength, type Trail, trailsOf } from '../attempts.ts'
import { steadyEndpoints } from '../endpoints.ts'
import type { Check, Findings, Round } from '../round.ts'
import { settles } from '../times.ts'

/** The longest time between the end of an attempt and its record. */
const recordMs = 3000

/**
 * Each delivery ends as DELIVERED, as CANCELLED with its endpoint, or as DEAD after exactly 8 failed attempts and one
 * more per re-queue. An attempt that a fault interrupts does not count.
 */
export const deliveryCounted: Check = function* (round) {
  const steady = new Set(steadyEndpoints(round).map(({ _id }) => _id))
  yield* round.broken('delivery state')
  for (const trail of trailsOf(round)) {
    const { _id, status, attempts, endpointId } = trail.delivery
    yield* end(trail, round.replaysOf(trail.delivery).length)
    if (status === 'CANCELLED' && steady.has(endpointId))
      yield [_id, 'is CANCELLED, but its endpoint was never deleted or disabled']
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
  const { _id, status } = delivery
  if (status === 'PENDING' || status === 'RETRYING') yield [_id, `is ${status} at the end`]
  const accepted = attempts.filter((attempt) => isAccepted(attempt.status)).length
  const isLast = isAccepted(attempts.at(-1)?.status ?? null)
  if (accepted - Number(isLast) > replays) yield [_id, 'was attempted again after it was accepted']
  const isDelivered = status === 'DELIVERED'
  if (isLast !== isDelivered && (replays === 0 || status !== 'CANCELLED'))
    yield [_id, `is ${status}, and its last attempt was ${isLast ? '' : 'not '}accepted`]
}

export const isAccepted = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/**
 * The record of a delivery agrees with its endpoint. DELIVERED deliveries were accepted, each recorded response was
 * sent, each response in time is recorded, and all attempts sent the same bytes.
 */
export const deliveryDelivered: Check = function* (round) {
  for (const { delivery, attempts, arrivals } of trailsOf(round)) {
    const { _id, status } = delivery
    for (const attempt of attempts) yield* agreed(round, _id, attempt)
    if (new Set(arrivals.map(({ body }) => body)).size > 1) yield [_id, 'arrived with different bytes']
    if (status === 'DELIVERED' && !arrivals.some((arrival) => isAccepted(statusOf(round, arrival))))
      yield [_id, 'is DELIVERED, and no arrival was accepted']
  }
}

/** A late response counts only if the process may have been frozen, and read the response before its timeout. */
function statusOf({ times }: Round, { did, begun, at, done }: Arrival): number | null {
  if (did === 'unread') return begun
  if (did === 'slow') return times.isCalm({ from: at, to: done }, settles.requests) ? null : 200
  return typeof did === 'number' ? did : null
}

function* agreed(round: Round, subject: string, attempt: Attempt): Findings {
  const { status, arrival, at } = attempt
  const which = `its attempt at ${new Date(at).toISOString()}`
  if (status === null) {
    if (wasReceived(round, attempt)) yield [subject, `${which} has no response, and the endpoint gave ${arrival?.did}`]
  } else if (arrival === null) yield [subject, `${which} has the response ${status}, and nothing arrived`]
  else if (statusOf(round, arrival) !== status)
    yield [subject, `${which} has the response ${status}, and the endpoint gave ${arrival.did}`]
}

/** Whether the response came within the timeout and without a fault. */
function wasReceived({ times, setting }: Round, { durationMs, arrival }: Attempt): boolean {
  const isInTime = durationMs < setting.settings.webhookTimeoutSeconds * 1000
  if (typeof arrival?.did !== 'number' || !isInTime) return false
  return times.isCalmForWrites({ from: arrival.at, to: arrival.done + recordMs }, settles.requests)
}
