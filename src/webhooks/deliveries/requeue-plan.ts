import { idempotencyKeyMs, requestMarkFields } from '../../idempotency/request.ts'
import { declareCollection, indexIfPresent, type Stored } from '../../mongo/declare.ts'
import { anything, date, list, oneOf, optional, orNull, text } from '../../mongo/fields.ts'
import type { Delivery } from './delivery.ts'

/** `skipped` counts the deliveries that weren't re-queued, by reason. */
export interface BulkRetryResult {
  requeued: number
  skipped: Record<'delivered' | 'under_way' | 'endpoint_gone', number>
  hasMore: boolean
  next: string | null
}

/** Delivery states never recur, so a guarded write takes effect only once. */
export type DeliveryState = Pick<
  Delivery,
  '_id' | 'status' | 'attempts' | 'requeues' | 'nextAttemptAt' | 'leaseToken'
> & { cancelledAt: Date | null }

export type RequeueOutcome = 'requeued' | 'not_found' | 'delivered' | 'under_way' | 'endpoint_gone'

export const planKeyIndex = 'requestKey'
export const openPlanIndex = 'open'

/** An hour longer than an idempotency key is valid. */
const keptSeconds = idempotencyKeyMs / 1000 + 3600

/** A plan is stored with its audit lines, and any process can carry it out. */
export const requeuePlans = declareCollection({
  name: 'requeueplans',
  kept: 'until it expires after 25 hours',
  fields: {
    _id: text,
    at: date,
    /** Empty once the plan has been carried out. */
    deliveries: list(anything<DeliveryState>()),
    outcome: orNull(oneOf<Exclude<RequeueOutcome, 'not_found'>>()),
    result: orNull(anything<BulkRetryResult>()),
    /** After 24 hours, a new request may use the same key. */
    requestKey: optional(requestMarkFields),
  },
  indexes: [
    { name: 'expired', key: { at: 1 }, expireAfterSeconds: keptSeconds },
    { name: planKeyIndex, key: { 'requestKey.key': 1 }, unique: true, ...indexIfPresent('requestKey.key') },
    // Unique, so two people can't re-queue a delivery at the same time.
    { name: openPlanIndex, key: { 'deliveries._id': 1 }, unique: true, ...indexIfPresent('deliveries._id') },
  ],
})
export type RequeuePlan = Stored<typeof requeuePlans>
