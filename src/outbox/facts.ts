import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { anything, flag, type Of, oneOf, part, whole } from '../mongo/fields.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

/** Why the last payment failed. If `retryable`, the intent is still PENDING, and the customer may pay again. */
export const failureFields = part({ code: oneOf<DeclineReason | FailureReason>(), retryable: flag })
export type PaymentFailure = Of<typeof failureFields>

/**
 * The fields of a webhook's `data` that may change later, with their values at the time of the event. For an order,
 * `status` is the only such field. If a field is missing here, the event's format determines whether `data` contains
 * null, contains `noCommission`, or omits the field as well.
 */
export interface Facts {
  status: string
  /** The amount in centimes. This field is missing for an OPEN intent that has not been paid. */
  amount?: number
  paidAt?: Date
  /** The masked phone number. */
  payerPhone?: string
  commission?: Commission
  failure?: PaymentFailure
  refund?: {
    id: string
    amount: number
    returnedFees: ReturnedFees
    reason?: string
    /** The time at which the refund began. No webhook contains it. */
    createdAt?: Date
  }
  /** The facts of an endpoint event, which contain all of its `data` except the endpoint's id and `status`. */
  endpoint?: EndpointEventFacts
}

export interface EndpointEventFacts {
  /** The URL as `shownUrl` returns it. */
  url: string
  failingSince: Date
  /** When an attempt succeeded again. The field is missing if the status is FAILING. */
  recoveredAt?: Date
  /** The stage at which the last failed attempt failed. */
  lastError: string | null
  /** The HTTP status of the last failed attempt. Null if no response arrived. */
  lastStatus: number | null
}

/**
 * What an outbox and its deliveries store. `format` determines how `data` is composed (payment-data.ts, order-data.ts,
 * endpoint-data.ts).
 */
export const recordedFields = part({ format: whole, facts: anything<Facts>() })
export type Recorded = Of<typeof recordedFields>
