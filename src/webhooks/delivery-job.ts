import type { DeliveryLane, NamedJob } from '../jobs.ts'
import type { Delivery } from './delivery.ts'
import type { EndpointHealth } from './endpoint.ts'
import { isFailing } from './flowing.ts'

/** The job that attempts a delivery when it is due; event, reference and host are words for people. */
export function deliveryJob(
  delivery: Pick<Delivery, '_id' | 'event' | 'referenceNumber' | 'host' | 'redrives' | 'nextAttemptAt'>,
  now: Date,
): NamedJob<DeliveryLane> {
  return {
    data: {
      deliveryId: delivery._id,
      event: delivery.event,
      reference: delivery.referenceNumber,
      host: delivery.host,
    },
    jobId: jobIdOf(delivery._id, delivery.redrives),
    delayMs: Math.max(0, (delivery.nextAttemptAt ?? now).getTime() - now.getTime()),
  }
}

/** r0: as it came; a re-queue by hand counts on, for BullMQ ignores an id that it knows. */
export const jobIdOf = (deliveryId: string, redrives: number): string => `${deliveryId}-r${redrives}`

/** Of how many re-queues a job was made. */
export const redrivesOf = (jobId: string): number => Number(jobId.slice(jobId.lastIndexOf('-r') + 2))

/** The jobs that re-queues have made obsolete. */
export const olderJobIds = (deliveryId: string, redrives: number): string[] =>
  Array.from({ length: redrives }, (_, earlier) => jobIdOf(deliveryId, earlier))

/** Where the deliveries of an endpoint wait, as MongoDB knows it. */
export const laneFor = (health: Pick<EndpointHealth, 'slow' | 'failuresInRow'>): DeliveryLane =>
  health.slow || isFailing(health) ? 'webhook-delivery-slow' : 'webhook-delivery'
