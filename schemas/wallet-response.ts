import type { FromSchema } from 'json-schema-to-ts'

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
