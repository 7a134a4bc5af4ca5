import type { FromSchema } from 'json-schema-to-ts'

/** What a wallet provider answers (docs/wallet-provider.md). A reason may be anything: one that nobody knows changes nothing. */
export const walletAnswer = {
  type: 'object',
  required: ['key', 'status'],
  properties: {
    key: { type: 'string' },
    status: { enum: ['succeeded', 'declined', 'failed', 'refused', 'pending', 'unknown', 'expired'] },
    reason: {},
    amount: { type: 'integer' },
  },
} as const

export type WalletAnswer = FromSchema<typeof walletAnswer>
