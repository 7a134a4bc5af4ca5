import type { Arrival } from '../../evidence/evidence.ts'
import { type Attempt, trailsOf } from '../attempts.ts'
import type { Check, Findings, Round } from '../round.ts'
import { settles } from '../times.ts'
import { isAccepted, recordMs } from './delivery-counted.ts'

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
    if (wasReceived(round, attempt))
      yield [subject, `${which} has no response, and the endpoint gave ${arrival?.did}`]
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
