import type { NewJob } from '../jobs.ts'
import type { Delivery } from './delivery.ts'

/** The job that attempts a delivery when it is due; event, reference and host are words for people. */
export function deliveryJob(
  delivery: Pick<Delivery, '_id' | 'event' | 'referenceNumber' | 'host' | 'redrives' | 'nextAttemptAt'>,
  now: Date,
): NewJob<'webhook-delivery'> & { jobId: string } {
  return {
    data: {
      deliveryId: delivery._id,
      event: delivery.event,
      reference: delivery.referenceNumber,
      host: delivery.host,
    },
    // r0: as it came; a re-queue by hand counts on, for BullMQ ignores an id that it knows.
    jobId: `${delivery._id}-r${delivery.redrives}`,
    delayMs: Math.max(0, (delivery.nextAttemptAt ?? now).getTime() - now.getTime()),
  }
}
