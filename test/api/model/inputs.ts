import type { Status } from '../../../schemas/intents.ts'

/** The callers: two test keys of one business, its live key, and a key of another business. */
export const callers = {
  till: { business: 0, sandbox: true },
  office: { business: 0, sandbox: true },
  live: { business: 0, sandbox: false },
  stranger: { business: 1, sandbox: true },
} as const

export type CallerName = keyof typeof callers

/**
 * One write. `to` is the index of an intent in the order of creation. If it is past the last one, there is no such
 * intent.
 */
export type Write = { by: CallerName; key: string } & (
  | { what: 'create'; body: { amount?: number; amountType?: string; merchantReference?: string } }
  | { what: 'cancel'; to: number; body: Record<string, never> }
  | { what: 'simulate'; to: number; body: { amount?: number; outcome?: string } }
  | { what: 'refund'; to: number; body: { amount?: number; expectedRefundable?: number } }
)

/** The query of one page of a list. */
export interface Search {
  by: CallerName
  status: Status | null
  minAmount: number | null
  page: number
  limit: number
}

/** The outcome of a customer's payment with a sandbox wallet. */
export type WalletName = 'pays' | 'wrongPin' | 'poor' | 'broken'
