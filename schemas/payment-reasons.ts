import type { FromSchema } from 'json-schema-to-ts'

/** The customer can repeat a payment declined for these. `declined` means no reason, or one not in this list. */
export const declineReasons = ['insufficient_funds', 'limit_exceeded', 'declined'] as const
/** Why a payment fails permanently. */
export const failureReasons = ['technical_error', 'wallet_closed'] as const
/** Why an intent is CANCELLED. */
export const cancellationReasons = ['requested_by_merchant', 'cancelled_by_operator', 'expired'] as const

export type DeclineReason = (typeof declineReasons)[number]
export type FailureReason = (typeof failureReasons)[number]
export type CancellationReason = (typeof cancellationReasons)[number]

/** Any `reason` is accepted: an unknown one is replaced with the default (src/wallets/live/live-wallet.ts). */
export const walletResponse = {
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

export type WalletResponse = FromSchema<typeof walletResponse>
