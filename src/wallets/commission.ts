import type { Config } from '../config.ts'

/**
 * The commission of a payment, in centimes (SPEC 6.2). `tof` and `tte` are the taxes inside the fees. `totalRevenue` is
 * the rest of the fees.
 */
export interface Commission {
  providerTtc: number
  payerTtc: number
  tof: number
  tte: number
  totalRevenue: number
}

/** The commission of an intent that is not paid. */
export const noCommission: Commission = { providerTtc: 0, payerTtc: 0, tof: 0, tte: 0, totalRevenue: 0 }

/**
 * Rates in basis points. The two fees are shares of the amount, the two taxes are shares of the fees. Each rate is at
 * most 50 % (schemas/environment.ts).
 */
export type CommissionRates = Config['commissionRates']

/**
 * Returns the commission of a payment of `amount` centimes. Each part is an integer, rounded half up, and at least 1 if
 * its rate is set. If the fees do not cover the taxes and 1 centime of revenue, the merchant's fee is raised, or the
 * payer's fee if it is the only one. Without a fee there are no taxes.
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

/** Calculates in bigint, because amount × basis points can exceed the safe integers. */
function share(amount: bigint, basisPoints: number): bigint {
  if (basisPoints === 0) return 0n
  return larger(1n, (amount * BigInt(basisPoints) + 5000n) / 10_000n)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
