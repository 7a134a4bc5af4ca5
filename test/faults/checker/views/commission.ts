import type { Commission } from '../documents.ts'

export const noCommission: Commission = { providerTtc: 0, payerTtc: 0, tof: 0, tte: 0, totalRevenue: 0 }

/** Basis points, as an installation has them by default: of the amount, and of both fees together. */
const rates = { provider: 200n, payer: 100n, tof: 1400n, tte: 200n }

/**
 * What a payment earns, recomputed from its description: integers, rounded half up, at least 1 where a rate is set; the fees together
 * are at least the taxes and 1 centime, and the merchant's fee is raised to that.
 */
export function commissionOf(amount: number): Commission {
  const payer = part(BigInt(amount), rates.payer)
  const asked = part(BigInt(amount), rates.provider)
  const tof = part(asked + payer, rates.tof)
  const tte = part(asked + payer, rates.tte)
  const least = tof + tte + 1n
  const fees = asked + payer < least ? least : asked + payer
  return {
    providerTtc: Number(fees - payer),
    payerTtc: Number(payer),
    tof: Number(tof),
    tte: Number(tte),
    totalRevenue: Number(fees - tof - tte),
  }
}

function part(of: bigint, basisPoints: bigint): bigint {
  const rounded = (of * basisPoints * 2n + 10_000n) / 20_000n
  return rounded < 1n ? 1n : rounded
}

/** As events tell it. */
export const commissionFields = ({ providerTtc, payerTtc, tof, tte, totalRevenue }: Commission) => ({
  provider_ttc: providerTtc,
  payer_ttc: payerTtc,
  tof,
  tte,
  total_revenue: totalRevenue,
})
