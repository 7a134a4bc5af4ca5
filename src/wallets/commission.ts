import type { Config } from '../config/config.ts'
import { type Of, part, whole } from '../mongo/fields.ts'

/**
 * In centimes (SPEC 6.2). Both fees include two Mauritanian taxes: `tof` on financial operations (taxe sur les
 * opérations financières) and `tte` on electronic transactions (taxe sur les transactions électroniques).
 * `totalRevenue` is what remains of the fees.
 */
export const commissionFields = part({
  providerTtc: whole,
  payerTtc: whole,
  tof: whole,
  tte: whole,
  totalRevenue: whole,
})
export type Commission = Of<typeof commissionFields>

/** What a refund gives back, in centimes: `providerTtc` to the merchant, `payerTtc` to the payer. */
export const returnedFeesFields = part({ providerTtc: whole, payerTtc: whole })
export type ReturnedFees = Of<typeof returnedFeesFields>

export const noCommission: Commission = { providerTtc: 0, payerTtc: 0, tof: 0, tte: 0, totalRevenue: 0 }

/** In basis points, at most 50 % (schemas/environment.ts). Fees are taken from the amount, taxes from the fees. */
export type CommissionRates = Config['commissionRates']

/**
 * Commission on `amount` centimes. Each fee and tax is rounded half up to whole centimes, and at least 1 centime unless
 * its rate is zero. If the fees don't cover the taxes plus 1 centime of revenue, the merchant's fee is raised (or the
 * payer's, if the merchant pays none). No fees, no taxes.
 */
export function commissionOf(amount: number, rates: CommissionRates): Commission {
  const provider = portion(BigInt(amount), rates.provider)
  const payer = portion(BigInt(amount), rates.payer)
  if (provider + payer === 0n) return noCommission
  const tof = portion(provider + payer, rates.tof)
  const tte = portion(provider + payer, rates.tte)
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

/** Bigint, because amount × basis points can exceed Number.MAX_SAFE_INTEGER. */
function portion(amount: bigint, basisPoints: number): bigint {
  if (basisPoints === 0) return 0n
  return larger(1n, (amount * BigInt(basisPoints) + 5000n) / 10_000n)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
