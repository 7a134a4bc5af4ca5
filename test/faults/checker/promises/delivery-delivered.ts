import type { Arrival } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { type Attempt, type Trail, trailsOf } from '../views/attempts.ts'
import { settles } from '../views/times.ts'

/**
 * What is told of a delivery is what its receiver saw: DELIVERED arrived and was answered 2xx in time, each recorded answer is one that was given, each that
 * was given in time is recorded, and every arrival of one delivery has the same bytes, those that MongoDB has.
 */
export const deliveryDelivered: Judge = function* (round) {
  for (const trail of trailsOf(round)) {
    const { _id: of, status, body, url } = trail.delivery
    yield* answers(round, of, trail)
    if (trail.arrivals.some((arrival) => arrival.body !== body))
      yield { of, says: 'arrived with other bytes than those that were frozen' }
    if (status === 'DELIVERED' && !trail.arrivals.some((arrival) => mayCount(round, arrival, null)))
      yield { of, says: `is DELIVERED, and nothing was accepted at ${url}` }
  }
}

/** Whether a receiver that did so may have been heard with this status, or with any 2xx. */
function mayCount(round: Round, arrival: Arrival, status: number | null): boolean {
  const answered = answerOf(round, arrival)
  if (answered === null) return false
  return status === null ? answered >= 200 && answered < 300 : answered === status
}

/**
 * A whole answer, or one that had begun when the service had read enough. One that came too late counts where the process may have stood still meanwhile: when it
 * goes on, its time is up and the answer is there, and whichever it meets first counts.
 */
function answerOf({ times }: Round, { did, begun, at, done }: Arrival): number | null {
  if (did === 'unread') return begun
  if (did === 'slow') return times.isCalm({ from: at, to: done }, settles.requests) ? null : 200
  return typeof did === 'number' ? did : null
}

/** A worker notes an attempt within moments of its end. */
const noteMs = 3000

/**
 * Whether the service was there to hear the receiver's whole answer: its time was not up by what it measured itself, and no worker died on the way,
 * whose arrival may be taken for that of the next attempt.
 */
function wasHeard({ times, setting }: Round, { at, endedAt, arrival }: Attempt): boolean {
  const isInTime = endedAt - at < setting.settings.webhookTimeoutSeconds * 1000
  if (typeof arrival?.did !== 'number' || !isInTime) return false
  return times.isCalmForWrites({ from: arrival.at, to: arrival.done + noteMs }, settles.requests)
}

function* answers(round: Round, of: string, { attempts }: Trail): Generator<Broken> {
  for (const attempt of attempts) {
    const { status, arrival } = attempt
    const when = new Date(attempt.at).toISOString()
    if (status === null) {
      if (wasHeard(round, attempt))
        yield {
          of,
          says: `has an attempt at ${when} without an answer, and the receiver did ${arrival?.did}`,
        }
    } else if (arrival === null)
      yield { of, says: `has an attempt at ${when} that was answered ${status}, and nothing arrived then` }
    else if (!mayCount(round, arrival, status))
      yield {
        of,
        says: `has an attempt at ${when} that was answered ${status}, and the receiver did ${arrival.did}`,
      }
  }
}
