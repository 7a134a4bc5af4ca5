import type { Arrival } from '../../evidence/evidence.ts'
import type { Broken, Judge } from '../round.ts'
import { type Trail, trailsOf } from '../views/attempts.ts'

/**
 * What is told of a delivery is what its receiver saw: DELIVERED arrived and was answered 2xx in time, each recorded answer is one that was given, and
 * every arrival of one delivery has the same bytes, those that MongoDB has.
 */
export const deliveryDelivered: Judge = function* ({ arrivals, dump, ...round }) {
  for (const trail of trailsOf({ arrivals, dump, ...round })) {
    const { _id: of, status, body, url } = trail.delivery
    yield* answers(of, trail)
    if (trail.arrivals.some((arrival) => arrival.body !== body))
      yield { of, says: 'arrived with other bytes than those that were frozen' }
    if (status === 'DELIVERED' && !trail.arrivals.some((arrival) => mayCount(arrival, null)))
      yield { of, says: `is DELIVERED, and nothing was accepted at ${url}` }
  }
}

/** Whether a receiver that did so may have been heard with this status, or with any 2xx: a whole answer, or one that had begun when the service had read enough. */
const mayCount = ({ did, begun }: Arrival, status: number | null): boolean => {
  const answered = did === 'unread' ? begun : did
  if (typeof answered !== 'number') return false
  return status === null ? answered >= 200 && answered < 300 : answered === status
}

function* answers(of: string, { attempts }: Trail): Generator<Broken> {
  for (const { at, status, arrival } of attempts) {
    if (status === null) continue
    const when = new Date(at).toISOString()
    if (arrival === null)
      yield { of, says: `has an attempt at ${when} that was answered ${status}, and nothing arrived then` }
    else if (!mayCount(arrival, status))
      yield {
        of,
        says: `has an attempt at ${when} that was answered ${status}, and the receiver did ${arrival.did}`,
      }
  }
}
