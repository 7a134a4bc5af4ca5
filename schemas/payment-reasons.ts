/** Why the wallet declined this payment. The customer may try again. */
export const declines = ['insufficient_funds', 'limit_exceeded'] as const
/** Why the payment failed for good. */
export const failures = ['technical_error', 'wallet_closed'] as const
/** Why an intent is CANCELLED. */
export const cancellations = ['requested_by_merchant', 'cancelled_by_operator', 'expired'] as const

export type DeclineReason = (typeof declines)[number]
export type FailureReason = (typeof failures)[number]
export type CancellationReason = (typeof cancellations)[number]
