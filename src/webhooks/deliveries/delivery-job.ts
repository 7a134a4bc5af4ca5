import type { DeliveryLane, NamedJob } from '../../jobs.ts'
import { isFailing } from '../attempts/flowing.ts'
import type { EndpointHealth } from '../endpoints/endpoint.ts'
import { type Delivery, hostOf } from './delivery.ts'

/** The job that attempts a delivery when it is due. Its id names the delivery; event, reference and host are words for people. */
export function deliveryJob(
  delivery: Pick<Delivery, '_id' | 'event' | 'referenceNumber' | 'url' | 'redrives' | 'nextAttemptAt'>,
  now: Date,
): NamedJob<DeliveryLane> {
  return {
    name: delivery.event,
    data: { ref: delivery.referenceNumber, host: hostOf(delivery) },
    jobId: jobIdOf(delivery._id, delivery.redrives),
    delayMs: Math.max(0, (delivery.nextAttemptAt ?? now).getTime() - now.getTime()),
  }
}

/** r0: as it came; a re-queue by hand counts on, for BullMQ ignores an id that it knows. */
export const jobIdOf = (deliveryId: string, redrives: number): string => `${deliveryId}-r${redrives}`

/** Of which delivery a job is. */
export const deliveryIdOf = (jobId: string): string => jobId.slice(0, jobId.lastIndexOf('-r'))

/** Of how many re-queues a job was made. */
export const redrivesOf = (jobId: string): number => Number(jobId.slice(jobId.lastIndexOf('-r') + 2))

/** How far back a job looks for those before it; each has done the same in its time. */
const mostOlder = 3

/** The latest of the jobs that re-queues have made obsolete. */
export const olderJobIds = (jobId: string): string[] => {
  const redrives = redrivesOf(jobId)
  const older = Array.from({ length: Math.min(mostOlder, redrives) }, (_, back) => redrives - 1 - back)
  return older.map((redrive) => jobIdOf(deliveryIdOf(jobId), redrive))
}

/** Where the deliveries of an endpoint wait, as MongoDB knows it. */
export const laneFor = (health: Pick<EndpointHealth, 'slow' | 'failuresInRow'>): DeliveryLane =>
  health.slow || isFailing(health) ? 'webhook-delivery-slow' : 'webhook-delivery'
