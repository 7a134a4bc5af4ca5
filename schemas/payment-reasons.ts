import type { FromSchema } from 'json-schema-to-ts'

/**
 * The possible reasons why a wallet declines a payment. The customer can retry such a payment. `declined` means that
 * the wallet gave no reason, or one that is not in this list.
 */
export const declines = ['insufficient_funds', 'limit_exceeded', 'declined'] as const
/** The possible reasons why a payment fails permanently. */
export const failures = ['technical_error', 'wallet_closed'] as const
/** The possible reasons why an intent is CANCELLED. */
export const cancellations = ['requested_by_merchant', 'cancelled_by_operator', 'expired'] as const

export type DeclineReason = (typeof declines)[number]
export type FailureReason = (typeof failures)[number]
export type CancellationReason = (typeof cancellations)[number]

/**
 * The response from a wallet provider. The schema accepts any `reason`, because the service replaces an unknown reason
 * with the default (src/wallets/live/live-wallet.ts).
 */
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
