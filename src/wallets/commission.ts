import type { Config } from '../config.ts'

/** What a payment earns, in centimes (SPEC 6.2). `tof` and `tte` are the taxes inside the fees; `totalRevenue` is what they leave. */
export interface Commission {
  providerTtc: number
  payerTtc: number
  tof: number
  tte: number
  totalRevenue: number
}

/** Before a payment nothing is earned. */
export const noCommission: Commission = { providerTtc: 0, payerTtc: 0, tof: 0, tte: 0, totalRevenue: 0 }

/** Rates in basis points: of the amount for the two fees, of the fees for the two taxes. */
export type CommissionRates = Config['commissionRates']

/**
 * The commission of a payment of `amount` centimes: in integers, each part rounded half up, and at least 1 where its rate is
 * set. Where the fees would not cover the taxes and 1 centime of revenue, the merchant's is raised; the payer's where that is the only one.
 */
export function commissionOf(amount: number, rates: CommissionRates): Commission {
  let providerTtc = share(amount, rates.provider)
  let payerTtc = share(amount, rates.payer)
  if (providerTtc + payerTtc === 0) return noCommission
  const tof = share(providerTtc + payerTtc, rates.tof)
  const tte = share(providerTtc + payerTtc, rates.tte)
  const missing = Math.max(0, tof + tte + 1 - providerTtc - payerTtc)
  if (providerTtc > 0) providerTtc += missing
  else payerTtc += missing
  return { providerTtc, payerTtc, tof, tte, totalRevenue: providerTtc + payerTtc - tof - tte }
}

/** Exact also where amount × basis points is beyond what a number can count. */
function share(amount: number, basisPoints: number): number {
  if (basisPoints === 0) return 0
  const rounded = (BigInt(amount) * BigInt(basisPoints) + 5000n) / 10_000n
  return Math.max(1, Number(rounded))
}
