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

/** Rates in basis points: of the amount for the two fees, of the fees for the two taxes. At most half each (schemas/environment.ts). */
export type CommissionRates = Config['commissionRates']

/**
 * The commission of a payment of `amount` centimes: in integers, each part rounded half up, and at least 1 where its rate is
 * set. Where the fees would not cover the taxes and 1 centime of revenue, the merchant's is raised; the payer's where that is the only one.
 * Without a fee there is no tax either.
 */
export function commissionOf(amount: number, rates: CommissionRates): Commission {
  const provider = share(BigInt(amount), rates.provider)
  const payer = share(BigInt(amount), rates.payer)
  if (provider + payer === 0n) return noCommission
  const tof = share(provider + payer, rates.tof)
  const tte = share(provider + payer, rates.tte)
  const fees = larger(provider + payer, tof + tte + 1n)
  const [providerTtc, payerTtc] = provider > 0n ? [fees - payer, payer] : [0n, fees]
  return {
    providerTtc: Number(providerTtc),
    payerTtc: Number(payerTtc),
    tof: Number(tof),
    tte: Number(tte),
    totalRevenue: Number(fees - tof - tte),
  }
}

/** In bigint: amount × basis points may be beyond what a number can count. */
function share(amount: bigint, basisPoints: number): bigint {
  if (basisPoints === 0) return 0n
  return larger(1n, (amount * BigInt(basisPoints) + 5000n) / 10_000n)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
