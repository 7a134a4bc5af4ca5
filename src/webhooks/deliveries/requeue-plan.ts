import { keyLifetimeMs, markFields } from '../../idempotency/request.ts'
import { declareCollection, ifPresent, type Stored } from '../../mongo/declare.ts'
import { anything, date, list, oneOf, optional, orNull, text } from '../../mongo/fields.ts'
import type { Delivery } from './delivery.ts'

/** `skipped` counts the deliveries that matched, by the reason why they weren't re-queued. */
export interface RetriedMatching {
  requeued: number
  skipped: Record<'delivered' | 'under_way' | 'endpoint_gone', number>
  hasMore: boolean
  next: string | null
}

/** It never comes back, so a write with this guard happens once. */
export type DeliveryState = Pick<
  Delivery,
  '_id' | 'status' | 'attempts' | 'requeues' | 'nextAttemptAt' | 'leaseToken'
> & { cancelledAt: Date | null }

export type Requeued = 'requeued' | 'not-found' | 'delivered' | 'under-way' | 'endpoint-gone'

export const requestIndex = 'requestKey'
export const openIndex = 'open'

/** An hour longer than its key is fresh, like stored responses. */
const keptSeconds = keyLifetimeMs / 1000 + 3600

/** Stored in one transaction with the audit lines. Then this process, a repeated request or a poll carries it out. */
export const requeuePlans = declareCollection({
  name: 'requeueplans',
  kept: 'until it expires after 25 hours',
  fields: {
    _id: text,
    at: date,
    /** Empty once carried out, or if an API request had nothing to re-queue. */
    deliveries: list(anything<DeliveryState>()),
    /** For a retry of one delivery. */
    outcome: orNull(oneOf<Exclude<Requeued, 'not-found'>>()),
    /** For a retry by filter, the data of its response. */
    result: orNull(anything<RetriedMatching>()),
    /** For API requests. A new request with the same key frees it after 24 hours. */
    requestKey: optional(markFields),
  },
  indexes: [
    { name: 'expired', key: { at: 1 }, expireAfterSeconds: keptSeconds },
    { name: requestIndex, key: { 'requestKey.key': 1 }, unique: true, ...ifPresent('requestKey.key') },
    // A delivery is in one open plan at most, so two people never re-queue it together.
    { name: openIndex, key: { 'deliveries._id': 1 }, unique: true, ...ifPresent('deliveries._id') },
  ],
})
export type RequeuePlan = Stored<typeof requeuePlans>
