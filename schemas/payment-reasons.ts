import type { FromSchema } from 'json-schema-to-ts'

/** After a decline, the customer can try again. */
export const declineReasons = ['insufficient_funds', 'limit_exceeded', 'declined'] as const
export const failureReasons = ['technical_error', 'wallet_closed'] as const
export const cancellationReasons = ['requested_by_merchant', 'cancelled_by_operator', 'expired'] as const

export type DeclineReason = (typeof declineReasons)[number]
export type FailureReason = (typeof failureReasons)[number]
export type CancellationReason = (typeof cancellationReasons)[number]

/** An unknown `reason` is replaced by a default (live-wallet.ts). */
export const walletResponseSchema = {
  type: 'object',
  required: ['key', 'status'],
  properties: {
    key: { type: 'string' },
    status: { enum: ['succeeded', 'declined', 'failed', 'refused', 'pending', 'unknown', 'expired'] },
    reason: {},
    amount: { type: 'integer' },
    fee: { type: 'integer' },
    currency: {},
  },
} as const

export type WalletResponse = FromSchema<typeof walletResponseSchema>
