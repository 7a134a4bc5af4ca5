import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import { maxAttempts } from '../../../schemas/deliveries.ts'
import type { JobWithId } from '../../../schemas/jobs.ts'
import { declareCollection, indexIfDate, indexIfPresent, type Stored } from '../../mongo/declare.ts'
import * as field from '../../mongo/fields.ts'
import {
  type EventCause,
  eventCauseFields,
  type OutboxEvent,
  recordedFactFields,
} from '../../outbox/event.ts'
import { omitUndefined } from '../../platform/without-undefined.ts'

const attemptFields = field.part({
  at: field.date,
  /** May differ from the delivery's URL, because merchants can change it. */
  url: field.text,
  durationMs: field.whole,
  status: field.orNull(field.whole),
  /** The stage that failed. Null if the attempt succeeded. */
  stage: field.orNull(field.text),
  error: field.orNull(field.text),
  /** The beginning of the response, until the clean-up removes it. */
  responseText: field.optional(field.orNull(field.text)),
})
export type AttemptRecord = field.ValueOfField<typeof attemptFields>

const newest = { createdAt: -1, _id: -1 } as const

export const deliveries = declareCollection({
  name: 'deliveries',
  kept: 'test data until the clean-up, live data forever, but old deliveries only with their last attempt',
  fields: {
    /** The same event and endpoint always give the same id. */
    _id: field.text,
    endpointId: field.text,
    businessId: field.text,
    sandbox: field.flag,
    event: field.text,
    eventAt: field.date,
    referenceNumber: field.text,
    /** The endpoint's URL when the delivery was created. */
    url: field.text,
    status: field.oneOf<DeliveryStatus>(),
    /** Includes only attempts with a recorded result. */
    attempts: field.whole,
    /** Attempts requested in addition to those of the retry table. */
    requeues: field.whole,
    /** Equal to `attempts` until the requested attempt has a result. */
    attemptsAtRequeue: field.optional(field.whole),
    /** When the delivery is due or its lease ends. Null once it's done. */
    nextAttemptAt: field.orNull(field.date),
    /** Only the holder of this token may record a result. */
    leaseToken: field.orNull(field.text),
    /** In old deliveries, the clean-up keeps only the last attempt. */
    attemptLog: field.list(attemptFields),
    /** The HTTP status of the last attempt, if it failed. */
    failureStatus: field.optional(field.whole),
    /** Set if the next clean-up must trim the delivery. */
    untrimmed: field.optional(field.flag),
    createdAt: field.date,
    deliveredAt: field.orNull(field.date),
    deadAt: field.orNull(field.date),
    cancelledAt: field.optional(field.date),
    /** The replay that inserted the delivery, if the relay didn't. */
    insertedBy: field.optional(field.text),
    requeuedBy: field.optional(field.text),
    ...recordedFactFields.fields,
    ...eventCauseFields.fields,
  },
  indexes: [
    // Only open deliveries have a `nextAttemptAt`.
    {
      name: 'open',
      key: { nextAttemptAt: 1, businessId: 1, endpointId: 1, _id: 1 },
      ...indexIfDate('nextAttemptAt'),
    },
    {
      name: 'openByEndpoint',
      key: { endpointId: 1, nextAttemptAt: 1, _id: 1 },
      ...indexIfDate('nextAttemptAt'),
    },
    // With these four, counting almost any filtered list reads no documents.
    { name: 'byTimeAndEvent', key: { businessId: 1, sandbox: 1, ...newest, event: 1 } },
    { name: 'byEndpointAndTime', key: { endpointId: 1, ...newest, sandbox: 1, event: 1, businessId: 1 } },
    { name: 'byStatus', key: { businessId: 1, sandbox: 1, status: 1, ...newest, event: 1, endpointId: 1 } },
    {
      name: 'byFailureStatus',
      key: { businessId: 1, sandbox: 1, failureStatus: 1, ...newest, status: 1, event: 1, endpointId: 1 },
      ...indexIfPresent('failureStatus'),
    },
    { name: 'byReference', key: { referenceNumber: 1 } },
    {
      name: 'deadByTime',
      key: { deadAt: -1, businessId: 1, endpointId: 1, sandbox: 1 },
      ...indexIfDate('deadAt'),
    },
    { name: 'deadByEndpoint', key: { endpointId: 1, deadAt: -1 }, ...indexIfDate('deadAt') },
    {
      name: 'untrimmedByTime',
      key: { businessId: 1, nextAttemptAt: 1, createdAt: 1 },
      partialFilterExpression: { untrimmed: true },
    },
  ],
})
export type Delivery = Stored<typeof deliveries>

/**
 * Redis stores the id three times for each waiting delivery, so it's short.
 * Merchants decode the event's id from it.
 */
export const makeDeliveryId = (eventId: string, endpointId: string): string =>
  Buffer.from(eventId + endpointId, 'hex').toString('base64url')

export const eventIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 0, 12)

export const endpointIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex').slice(24)

/** No other kind of id has this form. */
export const isDeliveryId = (id: string): boolean => /^[\w-]{32}$/.test(id)

/** Without a `leaseToken`, the delivery waits for a slot. */
export function newDelivery(
  { businessId, sandbox, referenceNumber }: Pick<Delivery, 'businessId' | 'sandbox' | 'referenceNumber'>,
  event: OutboxEvent,
  endpoint: { _id: string; url: string },
  now: Date,
  leaseToken: string | null,
): Delivery {
  return {
    _id: makeDeliveryId(event.id, endpoint._id),
    endpointId: endpoint._id,
    businessId,
    sandbox,
    event: event.event,
    eventAt: event.createdAt,
    format: event.format,
    facts: event.facts,
    referenceNumber,
    url: endpoint.url,
    status: 'PENDING',
    attempts: 0,
    requeues: 0,
    nextAttemptAt: leaseToken === null ? now : leaseEndFrom(now),
    leaseToken,
    attemptLog: [],
    createdAt: now,
    deliveredAt: null,
    deadAt: null,
    ...eventCauseOf(event),
  }
}

/** MongoDB would store undefined as null. */
export const eventCauseOf = ({ requestId, traceparent }: OutboxEvent): EventCause =>
  omitUndefined({ requestId, traceparent })

/** Renewed every 3 s. After a worker dies, its leases end within 10 s. */
export const deliveryLeaseMs = 10_000
export const leaseEndFrom = (now: Date): Date => new Date(now.getTime() + deliveryLeaseMs)

export const leasableFilter = (now: Date) => ({ nextAttemptAt: { $type: 'date' as const, $lte: now } })

export const cancelledFields = (now: Date) =>
  ({ status: 'CANCELLED', nextAttemptAt: null, leaseToken: null, cancelledAt: now }) as const

type Lease = Pick<Delivery, 'leaseToken' | 'nextAttemptAt'>

export const isLeased = ({ leaseToken, nextAttemptAt }: Lease, now: Date): boolean =>
  leaseToken !== null && nextAttemptAt !== null && nextAttemptAt > now

/** During an attempt, this is when the lease was last renewed. */
export const shownDueAt = ({ leaseToken, nextAttemptAt }: Lease): Date | null =>
  leaseToken === null || nextAttemptAt === null
    ? nextAttemptAt
    : new Date(nextAttemptAt.getTime() - deliveryLeaseMs)

export const hostOf = ({ url }: Pick<Delivery, 'url'>): string => URL.parse(url)?.host ?? '…'

type FailedAttempt = Pick<AttemptRecord, 'status' | 'error'>
export const failureText = ({ status, error }: FailedAttempt): string => error ?? `status ${status}`

/** Support staff see these fields on the job board. */
type JobFields = Pick<Delivery, 'event' | 'referenceNumber' | 'url' | 'nextAttemptAt'> &
  AttemptCounts & { lastAttempt?: FailedAttempt | undefined }

/** The worker needs only the job's id. */
export function newDeliveryJob(delivery: JobFields, now: Date): JobWithId<'webhook-delivery'> {
  const { event, referenceNumber: ref, attempts, requeues, nextAttemptAt, lastAttempt } = delivery
  return {
    name: event,
    data: {
      ref,
      host: hostOf(delivery),
      ...(attempts > 0 && { failed: `${attempts} of ${maxAttempts + requeues}` }),
      ...(lastAttempt && { error: failureText(lastAttempt) }),
      ...(attempts > 0 && nextAttemptAt && { next: nextAttemptAt }),
    },
    jobId: jobIdOf(delivery),
    delayMs: Math.max(0, (nextAttemptAt ?? now).getTime() - now.getTime()),
  }
}

export type AttemptCounts = Pick<Delivery, '_id' | 'attempts' | 'requeues'>

/** BullMQ ignores a job if its id already exists, even among failed jobs. */
export const jobIdOf = ({ _id, attempts, requeues }: AttemptCounts): string =>
  `${_id}-r${requeues}.${attempts}`

export const deliveryIdOf = (jobId: string): string => jobId.slice(0, jobId.lastIndexOf('-r'))

export function parseJobId(jobId: string): AttemptCounts {
  const [requeues, attempts] = jobId.slice(jobId.lastIndexOf('-r') + 2).split('.')
  return { _id: deliveryIdOf(jobId), attempts: Number(attempts), requeues: Number(requeues) }
}
