import type { Status } from '../../../schemas/list-intents.ts'

/** Who asks: two keys of one business, its live key, and somebody else's. */
export const callers = {
  till: { business: 0, sandbox: true },
  office: { business: 0, sandbox: true },
  live: { business: 0, sandbox: false },
  stranger: { business: 1, sandbox: true },
} as const

export type CallerName = keyof typeof callers

/** One write. `to` counts the intents that were made so far, in all businesses; past the last one nothing is there. */
export type Write = { by: CallerName; key: string } & (
  | { what: 'create'; body: { amount?: number; amountType?: string } }
  | { what: 'cancel'; to: number; body: Record<string, never> }
  | { what: 'simulate'; to: number; body: { amount?: number; outcome?: string } }
  | { what: 'refund'; to: number; body: { amount?: number; expectedRefundable?: number } }
)

/** One look at a page of a list. */
export interface Search {
  by: CallerName
  status: Status | null
  page: number
  limit: number
}

/** How a customer's try to pay by a wallet of the sandbox ends. */
export type WalletName = 'pays' | 'wrongPin' | 'poor' | 'broken'
