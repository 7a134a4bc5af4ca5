import { maxAttempts } from '../../../schemas/deliveries.ts'
import type { NamedJob } from '../../../schemas/jobs.ts'
import { type AttemptRecord, type Delivery, hostOf } from './delivery.ts'

/**
 * Returns a delivery id of 32 characters, which encode the event's 12-byte id and the endpoint's 12-byte id. The id
 * must be short because Redis stores it three times for each waiting delivery. Merchants decode the event's id from it.
 */
export const deliveryId = (eventId: string, endpointId: string): string =>
  Buffer.from(eventId + endpointId, 'hex').toString('base64url')

export const eventIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 0, 12)

export const endpointIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex').slice(24)

/** Whether a string has the form of a delivery id. No other kind of id has this form. */
export const isDeliveryId = (id: string): boolean => /^[\w-]{32}$/.test(id)

/** The fields of a delivery that its job shows to support staff. `lastAttempt` is set only if an attempt has failed. */
type Shown = Pick<
  Delivery,
  '_id' | 'event' | 'referenceNumber' | 'url' | 'attempts' | 'requeues' | 'nextAttemptAt'
> & {
  lastAttempt?: Pick<AttemptRecord, 'status' | 'error'> | undefined
}

/**
 * Returns the job that wakes a worker when a delivery is due. Workers need only the job's id. The other fields are
 * shown to support staff (src/admin/board).
 */
export function deliveryJob(delivery: Shown, now: Date): NamedJob<'webhook-delivery'> {
  const { event, referenceNumber: ref, attempts, requeues, nextAttemptAt, lastAttempt } = delivery
  const isRetry = attempts > 0 && nextAttemptAt !== null
  return {
    name: event,
    data: {
      ref,
      host: hostOf(delivery),
      ...(attempts === 0 ? {} : { failed: `${attempts} of ${maxAttempts + requeues}` }),
      ...(lastAttempt === undefined ? {} : { error: errorOf(lastAttempt) }),
      ...(isRetry ? { next: nextAttemptAt } : {}),
    },
    jobId: jobIdOf(delivery),
    delayMs: Math.max(0, (nextAttemptAt ?? now).getTime() - now.getTime()),
  }
}

/** Returns a short description of why an attempt failed. */
export const errorOf = ({ status, error }: Pick<AttemptRecord, 'status' | 'error'>): string =>
  error ?? `status ${status}`

/** A delivery with the counts that its job's id contains. */
export type Counted = Pick<Delivery, '_id' | 'attempts' | 'requeues'>

/**
 * Returns a job id that differs for each attempt at a delivery. The ids must differ because BullMQ ignores a new job
 * whose id already exists, and the job for the previous attempt may not have ended yet.
 */
export const jobIdOf = ({ _id, attempts, requeues }: Counted): string => `${_id}-r${requeues}.${attempts}`

export const deliveryIdOf = (jobId: string): string => jobId.slice(0, jobId.lastIndexOf('-r'))

/**
 * Extracts the id of the delivery from a job id, together with the counts that the delivery had when the job was
 * created.
 */
export function countsOf(jobId: string): Counted {
  const [requeues, attempts] = jobId.slice(jobId.lastIndexOf('-r') + 2).split('.')
  return { _id: deliveryIdOf(jobId), attempts: Number(attempts), requeues: Number(requeues) }
}
