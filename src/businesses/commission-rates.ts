import type { CommissionRates } from '../wallets/commission.ts'

/** The rates of the two fees of one business, in basis points, and the time from which they apply. */
export interface RatesFrom {
  from: Date
  /** The merchant's fee. */
  provider: number
  /** The payer's fee. */
  payer: number
}

/** The rates of one business, sorted by `from`. Before the first entry, the default rates apply. */
export type CommissionHistory = readonly RatesFrom[]

/**
 * The maximum number of entries in the history of one business. The history is read together with the key of each
 * request (find-key.ts), so it must stay small.
 */
export const maxRates = 200

/** Returns the rates that apply to a payment at a time. The rates of the taxes are the same for every business. */
export function ratesAt(history: CommissionHistory, defaults: CommissionRates, at: Date): CommissionRates {
  const current = history.findLast(({ from }) => from <= at)
  if (current === undefined) return defaults
  const { provider, payer } = current
  return { ...defaults, provider, payer }
}

export const ratesFromFields = { _id: false, from: Date, provider: Number, payer: Number }
