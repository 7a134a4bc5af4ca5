import type { Config } from '../config/config.ts'
import { part, type ValueOfField, whole } from '../mongo/fields.ts'

/**
 * In centimes (SPEC 6.2). `tof` is the taxe sur les opérations financières,
 * and `tte` is the taxe sur les transactions électroniques.
 */
export const commissionFields = part({
  providerTtc: whole,
  payerTtc: whole,
  tof: whole,
  tte: whole,
  totalRevenue: whole,
})
export type Commission = ValueOfField<typeof commissionFields>

/** In centimes. `providerTtc` goes to the merchant, `payerTtc` to the payer. */
export const returnedFeesFields = part({ providerTtc: whole, payerTtc: whole })
export type ReturnedFees = ValueOfField<typeof returnedFeesFields>

export const noCommission: Commission = { providerTtc: 0, payerTtc: 0, tof: 0, tte: 0, totalRevenue: 0 }

/** In basis points. Taxes are a portion of the fees. */
export type CommissionRates = Config['commissionRates']

/** Raises a fee if the fees don't cover the taxes plus 1 centime. */
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

/** Multiplying numbers could exceed Number.MAX_SAFE_INTEGER. */
function portion(amount: bigint, basisPoints: number): bigint {
  if (basisPoints === 0) return 0n
  return larger(1n, (amount * BigInt(basisPoints) + 5000n) / 10_000n)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
