import type { Deps } from '../../deps.ts'
import { groupBy } from '../../group-by.ts'
import { noHurry } from '../../group-commit/lane.ts'
import { inBatches } from '../../in-batches.ts'
import { deliveryLanes } from '../../jobs.ts'
import type { Placed } from '../../standing-jobs.ts'
import { type Delivery, openStatuses } from '../deliveries/delivery.ts'
import { deliveryJob, laneFor } from '../deliveries/delivery-job.ts'
import { free } from '../deliveries/lease.ts'
import { type Endpoint, type EndpointHealth, untried } from '../endpoints/endpoint.ts'
import { retryPriority, sweptPriority } from './priority.ts'

/** So many jobs a receiver gets of one sweep: about what it could be sent before the next one, if all goes well, and if it is held back. */
const mostOfOne = { 'webhook-delivery': 5000, 'webhook-delivery-slow': 200 } as const
/** What is too much for one that is held back comes again at the pace of so many in a minute, in here at the latest. */
const spread = { perMinute: 200, withinMs: 15 * 60_000 } as const
/** What is due for less than this may have its job, or just have been asked for by hand. */
const patienceMs = 60_000

const neededFields = {
  endpointId: 1,
  event: 1,
  referenceNumber: 1,
  url: 1,
  attempts: 1,
  redrives: 1,
  nextAttemptAt: 1,
} as const
type Due = Pick<Delivery, '_id' | keyof typeof neededFields>

export interface SweptDeliveries {
  /** How many there were. */
  deliveries: number
  /** How many of them must wait for another sweep, because their receiver has got enough of this one. */
  left: number
}

/** Sees to it that every delivery that became due after `from` (null: ever), or will be until `to`, has its job. */
export async function sweepDeliveries(deps: Deps, from: Date | null, to: Date): Promise<SweptDeliveries> {
  const now = deps.now()
  const due = deps.Delivery.find(
    {
      // `$type` says nothing new, but without it MongoDB does not use the partial index `open`.
      nextAttemptAt: { $type: 'date', ...(from === null ? {} : { $gt: from }), $lte: to },
      status: { $in: openStatuses },
      ...free(now),
    },
    neededFields,
  ).lean<Due[]>()
  const seenOf = new Map<string, number>()
  let left = 0
  const deliveries = await inBatches(due.cursor({ batchSize: 1000 }), async (batch) => {
    const health = await healthOf(deps, batch)
    const placed: Placed[] = []
    const surplus: Surplus[] = []
    for (const [endpointId, some] of groupBy(batch, (delivery) => delivery.endpointId)) {
      const known = health.get(endpointId) ?? untried
      const queue = laneFor(known)
      const seen = seenOf.get(endpointId) ?? 0
      seenOf.set(endpointId, seen + some.length)
      const room = Math.max(0, mostOfOne[queue] - seen)
      for (const delivery of some.slice(0, room))
        placed.push({ queue, job: { ...deliveryJob(delivery, now), priority: priorityOf(delivery, known) } })
      const first = seen + room - mostOfOne[queue]
      if (queue === 'webhook-delivery-slow')
        surplus.push(...some.slice(room).map((delivery, index) => ({ delivery, place: first + index })))
      else left += Math.max(0, some.length - room)
    }
    await deps.queues.standing.readd(deliveryLanes, placed)
    await putOff(deps, surplus, now)
  })
  return { deliveries, left }
}

async function healthOf(
  deps: Pick<Deps, 'Endpoint'>,
  deliveries: Due[],
): Promise<Map<string, EndpointHealth>> {
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))]
  const found = await deps.Endpoint.find({ _id: { $in: ids } }, { health: 1 }).lean<
    Pick<Endpoint, '_id' | 'health'>[]
  >()
  return new Map(found.map(({ _id, health }) => [_id, health]))
}

const priorityOf = ({ attempts, redrives }: Due, health: EndpointHealth): number =>
  attempts > redrives ? retryPriority(health.failuresInRow) : sweptPriority

/** One without a job of this sweep, and how many such ones of its receiver go before it. */
interface Surplus {
  delivery: Due
  place: number
}

/** MongoDB keeps them, not Redis: a hundred thousand jobs that cannot run are looked at again and again for nothing. */
async function putOff(deps: Deps, surplus: Surplus[], now: Date): Promise<void> {
  const before = new Date(now.getTime() - patienceMs)
  const isOld = ({ nextAttemptAt }: Due): boolean => nextAttemptAt !== null && nextAttemptAt < before
  const old = surplus.filter(({ delivery }) => isOld(delivery))
  await Promise.all(
    old.map(({ delivery: { _id: id }, place }) => {
      const nextAttemptAt = new Date(now.getTime() + patienceMs + turnMs(place))
      return deps.lanes.postpone({ id, nextAttemptAt }, noHurry)
    }),
  )
}

/** In order as far as the pace reaches; the others among them, evenly. */
function turnMs(place: number): number {
  const ms = Math.floor((place / spread.perMinute) * 60_000)
  return ms < spread.withinMs ? ms : Math.floor(Math.random() * spread.withinMs)
}
