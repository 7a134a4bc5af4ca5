import type { FromSchema } from 'json-schema-to-ts'

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
