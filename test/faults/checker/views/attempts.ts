import { deliveryIn } from '../../evidence/delivery-id.ts'
import type { Arrival } from '../../evidence/evidence.ts'
import type { DeliveryDocument } from '../documents.ts'
import type { Round } from '../round.ts'
import { groupsOf } from './groups.ts'

/** An attempt as the service recorded it, and what the receiver saw of it. */
export interface Attempt {
  at: number
  endedAt: number
  status: number | null
  stage: string | null
  arrival: Arrival | null
}

/** A delivery with all its attempts, and the arrivals that no record tells of. */
export interface Trail {
  delivery: DeliveryDocument
  attempts: Attempt[]
  unrecorded: Arrival[]
  arrivals: Arrival[]
}

/** The log keeps so many attempts; of more, nobody can tell which is missing. */
export const longestLog = 50

/** What deliveries left at receivers. Tests of endpoints are no deliveries. */
export function trailsOf(round: Round): Trail[] {
  const byId = groupsOf(round.arrivals, ({ body }) => deliveryIn(body))
  return round.dump.deliveries.map((delivery) => trailOf(round, delivery, byId.get(delivery._id) ?? []))
}

/** When it was signed, in seconds of the service's clock. */
export const signedAt = ({ headers }: Arrival): number => Number(headers['x-service-timestamp'])

/**
 * An attempt and its arrival were signed in the same second, and the arrival came before the attempt ended. If there are two, the one nearer to the start of the
 * attempt counts: a process that was frozen and lost its lease may still send, perhaps in the same second.
 */
function trailOf({ times }: Round, delivery: DeliveryDocument, arrivals: Arrival[]): Trail {
  const unrecorded = [...arrivals]
  const attempts = delivery.attemptLog.map(({ at, durationMs, status, stage }) => {
    const endedAt = at + durationMs
    const end = times.machineTime(endedAt).to + marginMs
    const candidates = unrecorded.filter((arrival) => {
      const latest = end + times.skewAround({ from: arrival.at, to: arrival.done })
      // The length of an attempt is that of the sending: a process that stood still before it sent later. And the receivers of a busy machine see late what came.
      const isInTime = arrival.at <= latest || !times.isCalm({ from: end, to: arrival.at }, marginMs)
      return signedAt(arrival) === Math.floor(at / 1000) && isInTime
    })
    const begin = times.machineTime(at).from
    const distance = (arrival: Arrival): number => Math.abs(arrival.at - begin)
    const [arrival = null] = candidates.toSorted((one, other) => distance(one) - distance(other))
    if (arrival !== null) unrecorded.splice(unrecorded.indexOf(arrival), 1)
    return { at, endedAt, status, stage, arrival }
  })
  return { delivery, attempts, unrecorded, arrivals }
}

/** Two processes read one clock; between the end of an attempt and its note a busy machine may do something else. */
const marginMs = 1000
