import type { IntentStatus } from '../../../schemas/intents.ts'

/** Two test keys of one business, its live key, and another business's key. */
export const callers = {
  till: { business: 0, sandbox: true },
  office: { business: 0, sandbox: true },
  live: { business: 0, sandbox: false },
  stranger: { business: 1, sandbox: true },
} as const

export type CallerName = keyof typeof callers

export type Write = { by: CallerName; key: string } & (
  | { what: 'create'; body: { amount?: number; amountType?: string; merchantReference?: string } }
  | { what: 'cancel'; to: number; body: Record<string, never> }
  | { what: 'simulate'; to: number; body: { amount?: number; outcome?: string } }
  | { what: 'refund'; to: number; body: { amount?: number; expectedRefundable?: number } }
)

export interface Search {
  by: CallerName
  status: IntentStatus | null
  minAmount: number | null
  page: number
  limit: number
}

export type WalletName = 'pays' | 'wrongPin' | 'poor' | 'broken'
