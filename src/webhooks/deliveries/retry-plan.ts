import { type AuditEvent, unauditedFields, unauditedIndex } from '../../audit/audit-event.ts'
import type { Collection } from '../../mongo/collection.ts'

/** The result of one request. `skipped` counts the deliveries that matched but were not re-queued, by reason. */
export interface RetriedMatching {
  requeued: number
  skipped: Record<'delivered' | 'under_way' | 'endpoint_gone', number>
  hasMore: boolean
  next: string | null
}

/**
 * The deliveries that a request selects with its filter. The plan is stored before the first of them is re-queued,
 * because re-queued deliveries no longer match the filter. Without the plan, a retry of the request would select other
 * deliveries.
 */
export interface RetryPlan {
  /** The effect id of the request. */
  _id: string
  /** Empty once `result` is set. */
  deliveryIds: string[]
  /** Where the next request continues, or null if no further delivery matches. */
  next: string | null
  /** Set once all of the deliveries have been processed. */
  result: RetriedMatching | null
  /** The audit line of the request. Until the request has been completed, it counts only the selected deliveries. */
  unaudited: AuditEvent[]
  /** The time at which MongoDB removes the plan. By then, the claim no longer exists, so no retry needs the plan. */
  expiresAt: Date
}

export const retryPlans: Collection = {
  name: 'retryplans',
  fields: {
    _id: String,
    deliveryIds: [String],
    next: String,
    result: Object,
    unaudited: unauditedFields,
    expiresAt: Date,
  },
  indexes: [unauditedIndex, { name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
}
