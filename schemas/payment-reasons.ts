/** The reasons for which a wallet may decline a payment. The customer can retry such a payment. */
export const declines = ['insufficient_funds', 'limit_exceeded'] as const
/** The reasons for which a payment may fail permanently. */
export const failures = ['technical_error', 'wallet_closed'] as const
/** The reasons for which an intent may have become CANCELLED. */
export const cancellations = ['requested_by_merchant', 'cancelled_by_operator', 'expired'] as const

export type DeclineReason = (typeof declines)[number]
export type FailureReason = (typeof failures)[number]
export type CancellationReason = (typeof cancellations)[number]
