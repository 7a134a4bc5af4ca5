import type { DeliveryDocument } from '../../invariants/documents.ts'
import { type Arrival, deliveryIn } from '../evidence/evidence.ts'
import { groupsOf } from './groups.ts'
import type { Round } from './round.ts'

/** A recorded attempt and its arrival at the endpoint. */
export type Attempt = { at: number; durationMs: number; status: number | null; arrival: Arrival | null }

/** A delivery with its attempts. `unrecorded`: arrivals without a recorded attempt. */
export interface Trail {
  delivery: DeliveryDocument
  attempts: Attempt[]
  unrecorded: Arrival[]
  arrivals: Arrival[]
}

/** The log of a delivery keeps its last 50 attempts. */
export const maxLogLength = 50

export function trailsOf(round: Round): Trail[] {
  const byId = groupsOf(round.arrivals, ({ body }) => deliveryIn(body))
  return round.dump.deliveries.map((delivery) => trailOf(round, delivery, byId.get(delivery._id) ?? []))
}

/** In seconds of the service's clock. */
export const signedAt = ({ headers }: Arrival): number => Number(headers['x-service-timestamp'])
/** Two processes read the clock, and a busy machine may delay the second. */
const marginMs = 1000

/**
 * Matches attempts with arrivals. Both were signed in the same second, and the arrival came before the attempt ended.
 * The nearest arrival matches, because a frozen process that has lost its lease may still send another.
 */
function trailOf({ times }: Round, delivery: DeliveryDocument, arrivals: Arrival[]): Trail {
  const unrecorded = [...arrivals]
  const match = ({ at, durationMs, status }: DeliveryDocument['attemptLog'][number]): Attempt => {
    const end = times.machineTime(at + durationMs).to + marginMs
    const begin = times.machineTime(at).from
    // The status distinguishes two arrivals in the same second.
    const distance = (arrival: Arrival): number => Math.abs(arrival.at - begin) + (arrival.did === status ? 0 : 60_000)
    const candidates = unrecorded.filter(
      (arrival) =>
        signedAt(arrival) === Math.floor(at / 1000) &&
        (arrival.at <= end + times.skewAround({ from: arrival.at, to: arrival.done }) ||
          !times.isCalm({ from: end, to: arrival.at }, marginMs)),
    )
    const [arrival = null] = candidates.toSorted((one, other) => distance(one) - distance(other))
    if (arrival !== null) unrecorded.splice(unrecorded.indexOf(arrival), 1)
    return { at, durationMs, status, arrival }
  }
  // Nothing may have arrived of an attempt without a response, so those with one choose first.
  const ordered = delivery.attemptLog.toSorted(
    (one, other) => Number(one.status === null) - Number(other.status === null),
  )
  const matched = new Map(ordered.map((logged) => [logged, match(logged)]))
  const attempts = delivery.attemptLog.flatMap((logged) => matched.get(logged) ?? [])
  return { delivery, attempts, unrecorded, arrivals }
}
