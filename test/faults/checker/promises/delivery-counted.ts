import type { DeliveryDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { longestLog, type Trail, trailsOf } from '../views/attempts.ts'
import { heldBack } from '../views/held-back.ts'
import { lateMs } from '../views/requests.ts'
import { settles } from '../views/times.ts'

/** How often a delivery is tried (SPEC 6.4). */
const mostAttempts = 8
/** An attempt is written down within moments of its end. */
const recordMs = 3000
/** How late an attempt may be where nothing is wrong (delivery-paced.ts). */
const dueMs = 15_000

/**
 * Each delivery came to an end: DELIVERED, or DEAD after exactly 8 failed attempts and one more for each that was asked for by hand, or
 * stopped with its endpoint. What was cut short counts apart, and only a fault cuts one short.
 */
export const deliveryCounted: Judge = function* (round) {
  const isHeldBack = heldBack(round)
  for (const trail of trailsOf(round)) {
    const { delivery, attempts, unrecorded } = trail
    const { _id: of, status, redrives } = delivery
    yield* ends(trail)
    if (status === 'CANCELLED' && !mayBeStopped(round, delivery, isHeldBack))
      yield { of, says: 'is CANCELLED, and its endpoint was there when it was due' }
    if (delivery.attempts <= longestLog && delivery.attempts !== attempts.length)
      yield { of, says: `counts ${delivery.attempts} attempts, and ${attempts.length} are recorded` }
    if (status === 'DEAD' && delivery.attempts !== mostAttempts + redrives)
      yield { of, says: `is DEAD after ${delivery.attempts} attempts, ${redrives} of them asked for by hand` }
    if (delivery.attempts > mostAttempts + redrives)
      yield { of, says: `was tried ${delivery.attempts} times, ${redrives} of them by hand` }
    for (const arrival of delivery.attempts > longestLog ? [] : trail.arrivals) {
      const { at, done, did } = arrival
      const span = { from: at, to: done + recordMs }
      const isJudged =
        round.isDueOfWriters('delivery.counted', span, settles.requests) &&
        !wasTakenAway(round, delivery, span)
      if (isJudged && unrecorded.includes(arrival))
        yield {
          of,
          says: `came at ${new Date(at).toISOString()} (${did}), no attempt is recorded, and nothing was wrong then`,
        }
    }
  }
}

/**
 * Whether its endpoint may have been gone or switched off after its last attempt, and before the next was made. That one comes in the first calm after
 * it was due; when one that was asked for by hand was due, or one that is held back, nobody can tell.
 */
function mayBeStopped(
  { times, setting, pasts }: Round,
  { endpointId, attemptLog, createdAt, redrives }: DeliveryDocument,
  isHeldBack: ReturnType<typeof heldBack>,
): boolean {
  const last = attemptLog.at(-1)
  const endedAt = last === undefined ? createdAt : last.at + last.durationMs
  const waitMs = (setting.settings.retrySeconds[attemptLog.length - 1] ?? 0) * 1000
  const due = times.machineTime(endedAt + waitMs)
  const calmAt = times.busy.isMostly ? null : times.calmAfter(due.to, settles.jobs + dueMs)
  const isOpen =
    calmAt === null || redrives > 0 || isHeldBack(endpointId, endedAt, calmAt + times.aheadAt(calmAt).to)
  // Who cancels it had read the endpoint before, and may have stood still since.
  const from = times.machineTime(endedAt).from - lateMs
  const to = isOpen ? Number.POSITIVE_INFINITY : calmAt
  return pasts.get(endpointId)?.mayHaveStopped({ from, to }) ?? false
}

/** Whether its endpoint may have been deleted or disabled during an attempt: then the attempt loses its lease, and its result is not written. */
const wasTakenAway = (
  { pasts }: Round,
  { endpointId, status }: DeliveryDocument,
  { from, to }: { from: number; to: number },
): boolean =>
  status === 'CANCELLED' && (pasts.get(endpointId)?.mayHaveStopped({ from: from - lateMs, to }) ?? false)

function* ends({ delivery, attempts }: Trail): Generator<Broken> {
  const { _id: of, status, nextAttemptAt, leaseToken, deliveredAt } = delivery
  if (status === 'PENDING' || status === 'RETRYING') yield { of, says: `is ${status}, and all was quiet` }
  if (nextAttemptAt !== null && !['PENDING', 'RETRYING'].includes(status))
    yield { of, says: `is ${status} and has a next attempt` }
  if (leaseToken !== null) yield { of, says: `is ${status}, and somebody holds it` }
  const accepted = attempts.findIndex(
    ({ status: answered }) => answered !== null && answered >= 200 && answered < 300,
  )
  if (accepted >= 0 && accepted < attempts.length - 1)
    yield { of, says: 'was attempted again after it was accepted' }
  if (accepted >= 0 !== (status === 'DELIVERED') || (deliveredAt !== null) !== (status === 'DELIVERED'))
    yield { of, says: `is ${status}, and ${accepted >= 0 ? 'an' : 'no'} attempt was accepted` }
}
