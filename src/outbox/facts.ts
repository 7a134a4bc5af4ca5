import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { anything, flag, type Of, oneOf, part, whole } from '../mongo/fields.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

/** If `retryable`, the intent is still PENDING and the customer can pay again. */
export const failureFields = part({ code: oneOf<DeclineReason | FailureReason>(), retryable: flag })
export type PaymentFailure = Of<typeof failureFields>

/**
 * The fields of a webhook's `data` that may change later, as of the event. (For an order, that's only `status`.) If one
 * is missing, the event's format decides if `data` has null, `noCommission` or no such field.
 */
export interface Facts {
  status: string
  /** In centimes. Missing for an unpaid OPEN intent. */
  amount?: number
  paidAt?: Date
  payerPhone?: string
  commission?: Commission
  failure?: PaymentFailure
  refund?: {
    id: string
    amount: number
    returnedFees: ReturnedFees
    reason?: string
    /** When the refund began. Not in any webhook. */
    createdAt?: Date
  }
  /** For endpoint events: all of their `data` except the endpoint's id and `status`. */
  endpoint?: EndpointEventFacts
}

export interface EndpointEventFacts {
  /** As returned by `shownUrl`. */
  url: string
  failingSince: Date
  /** When an attempt succeeded again. Missing if the status is FAILING. */
  recoveredAt?: Date
  /** The stage of the attempt that failed last. */
  lastError: string | null
  /** Null if the last failed attempt got no response. */
  lastStatus: number | null
}

/** What an event's outbox and deliveries store. `format` decides how `data` is composed from the facts. */
export const recordedFields = part({ format: whole, facts: anything<Facts>() })
export type Recorded = Of<typeof recordedFields>
