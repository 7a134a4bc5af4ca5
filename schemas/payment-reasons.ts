/** The customer can repeat a payment declined for these. `declined` means no reason, or one not in this list. */
export const declines = ['insufficient_funds', 'limit_exceeded', 'declined'] as const
/** Why a payment fails permanently. */
export const failures = ['technical_error', 'wallet_closed'] as const
/** Why an intent is CANCELLED. */
export const cancellations = ['requested_by_merchant', 'cancelled_by_operator', 'expired'] as const

export type DeclineReason = (typeof declines)[number]
export type FailureReason = (typeof failures)[number]
export type CancellationReason = (typeof cancellations)[number]
