import type { Broken, Judge, Round } from '../round.ts'
import { longestLog, type Trail, trailsOf } from '../views/attempts.ts'
import { settles } from '../views/times.ts'

/** How often a delivery is tried (SPEC 6.4). */
const mostAttempts = 8
/** An attempt is written down within moments of its end. */
const recordMs = 3000

/**
 * Each delivery came to an end: DELIVERED, or DEAD after exactly 8 failed attempts and one more for each that was asked for by hand, or
 * stopped with its endpoint. What was cut short counts apart, and only a fault cuts one short.
 */
export const deliveryCounted: Judge = function* (round) {
  for (const trail of trailsOf(round)) {
    const { delivery, attempts, unrecorded } = trail
    const { _id: of, status, redrives, endpointId } = delivery
    yield* ends(round, trail, round.pasts.get(endpointId)?.mayHaveStopped(Number.POSITIVE_INFINITY) ?? false)
    if (delivery.attempts <= longestLog && delivery.attempts !== attempts.length)
      yield { of, says: `counts ${delivery.attempts} attempts, and ${attempts.length} are recorded` }
    if (status === 'DEAD' && delivery.attempts !== mostAttempts + redrives)
      yield { of, says: `is DEAD after ${delivery.attempts} attempts, ${redrives} of them asked for by hand` }
    if (delivery.attempts > mostAttempts + redrives)
      yield { of, says: `was tried ${delivery.attempts} times, ${redrives} of them by hand` }
    for (const arrival of delivery.attempts > longestLog ? [] : trail.arrivals) {
      const { at, done, did } = arrival
      const span = { from: at, to: done + recordMs }
      const isJudged = round.isDueOfWriters('delivery.counted', span, settles.requests)
      if (isJudged && unrecorded.includes(arrival))
        yield {
          of,
          says: `came at ${new Date(at).toISOString()} (${did}), no attempt is recorded, and nothing was wrong then`,
        }
    }
  }
}

function* ends(_round: Round, { delivery, attempts }: Trail, mayStop: boolean): Generator<Broken> {
  const { _id: of, status, nextAttemptAt, lease, deliveredAt } = delivery
  if (status === 'PENDING' || status === 'RETRYING') yield { of, says: `is ${status}, and all was quiet` }
  if (status === 'CANCELLED' && !mayStop)
    yield { of, says: 'is CANCELLED, and its endpoint was there all the time' }
  if (nextAttemptAt !== null && !['PENDING', 'RETRYING'].includes(status))
    yield { of, says: `is ${status} and has a next attempt` }
  if (lease !== null) yield { of, says: `is ${status}, and somebody holds it` }
  const accepted = attempts.findIndex(
    ({ status: answered }) => answered !== null && answered >= 200 && answered < 300,
  )
  if (accepted >= 0 && accepted < attempts.length - 1)
    yield { of, says: 'was attempted again after it was accepted' }
  if (accepted >= 0 !== (status === 'DELIVERED') || (deliveredAt !== null) !== (status === 'DELIVERED'))
    yield { of, says: `is ${status}, and ${accepted >= 0 ? 'an' : 'no'} attempt was accepted` }
}
