import type { Config } from '../config/config.ts'
import { type Of, part, whole } from '../mongo/fields.ts'

/**
 * The commission on a payment, in centimes (SPEC 6.2). Both fees include two Mauritanian taxes: `tof`, on financial
 * operations (taxe sur les opérations financières), and `tte`, on electronic transactions (taxe sur les transactions
 * électroniques). `totalRevenue` is what remains of the fees.
 */
export const commissionFields = part({
  providerTtc: whole,
  payerTtc: whole,
  tof: whole,
  tte: whole,
  totalRevenue: whole,
})
export type Commission = Of<typeof commissionFields>

/** The fees that a refund gives back, in centimes: `providerTtc` to the merchant and `payerTtc` to the payer. */
export const returnedFeesFields = part({ providerTtc: whole, payerTtc: whole })
export type ReturnedFees = Of<typeof returnedFeesFields>

/** The commission on an intent that has not been paid. */
export const noCommission: Commission = { providerTtc: 0, payerTtc: 0, tof: 0, tte: 0, totalRevenue: 0 }

/**
 * Rates in basis points. The two fees are shares of the amount, and the two taxes are shares of the fees. Each rate is
 * at most 50 % (schemas/environment.ts).
 */
export type CommissionRates = Config['commissionRates']

/**
 * Returns the commission on a payment of `amount` centimes. Each fee and each tax is rounded half up to whole centimes,
 * and is at least 1 centime unless its rate is zero. If the fees do not cover the taxes and 1 centime of revenue, the
 * merchant's fee is raised, or the payer's fee if the merchant pays no fee. If there are no fees, there are no taxes.
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

/**
 * Returns a share of an amount. The calculation uses bigint, because amount × basis points can exceed
 * Number.MAX_SAFE_INTEGER.
 */
function share(amount: bigint, basisPoints: number): bigint {
  if (basisPoints === 0) return 0n
  return larger(1n, (amount * BigInt(basisPoints) + 5000n) / 10_000n)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
