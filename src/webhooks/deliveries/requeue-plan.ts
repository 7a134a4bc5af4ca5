import { keyLifetimeMs, markFields } from '../../idempotency/request.ts'
import { declareCollection, ifPresent, type Stored } from '../../mongo/declare.ts'
import { anything, date, list, oneOf, optional, orNull, text } from '../../mongo/fields.ts'
import type { Delivery } from './delivery.ts'

/** The result of a retry by filter. `skipped` counts the deliveries that matched but were not re-queued, by reason. */
export interface RetriedMatching {
  requeued: number
  skipped: Record<'delivered' | 'under_way' | 'endpoint_gone', number>
  hasMore: boolean
  next: string | null
}

/** The state in which a delivery is re-queued. It never comes back, so a write with this guard happens once. */
export type DeliveryState = Pick<
  Delivery,
  '_id' | 'status' | 'attempts' | 'requeues' | 'nextAttemptAt' | 'leaseToken'
> & { cancelledAt: Date | null }

/** `requeued` if a delivery was re-queued, otherwise the reason why it was not. */
export type Requeued = 'requeued' | 'not-found' | 'delivered' | 'under-way' | 'endpoint-gone'

export const requestIndex = 'requestKey'
export const openIndex = 'open'

/** For an hour longer than its key is fresh, as for the rows of responses. */
const keptSeconds = keyLifetimeMs / 1000 + 3600

/**
 * What an act of a person re-queues. It is stored in one transaction with the act's audit lines, and carried out
 * afterwards: by the same process, by a repetition of the request or by a poll.
 */
export const requeuePlans = declareCollection({
  name: 'requeueplans',
  kept: 'until it expires after 25 hours',
  fields: {
    _id: text,
    at: date,
    /** Empty once the plan has been carried out, or if an API request had nothing to re-queue. */
    deliveries: list(anything<DeliveryState>()),
    /** What a retry of one delivery did. Null for any other act. */
    outcome: orNull(oneOf<Exclude<Requeued, 'not-found'>>()),
    /** The data of the response to a retry by filter. Null for any other act. */
    result: orNull(anything<RetriedMatching>()),
    /** Only plans of API requests have this field. A new request frees it after 24 hours. */
    requestKey: optional(markFields),
  },
  indexes: [
    { name: 'expired', key: { at: 1 }, expireAfterSeconds: keptSeconds },
    { name: requestIndex, key: { 'requestKey.key': 1 }, unique: true, ...ifPresent('requestKey.key') },
    // A delivery is in one open plan at a time, so two acts never re-queue it together.
    { name: openIndex, key: { 'deliveries._id': 1 }, unique: true, ...ifPresent('deliveries._id') },
  ],
})
export type RequeuePlan = Stored<typeof requeuePlans>
