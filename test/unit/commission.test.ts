import { assert, constantFrom, integer, maxSafeNat, oneof, property, record } from 'fast-check'
import { type CommissionRates, commissionOf, noCommission } from '../../src/wallets/commission.ts'
import { inFull } from '../support/machine.ts'

/** The defaults in schemas/environment.ts. */
const usual: CommissionRates = { provider: 200, payer: 100, tof: 1400, tte: 200 }
const free: CommissionRates = { provider: 0, payer: 0, tof: 0, tte: 0 }
const rate = oneof(constantFrom(0, 1, 5000), integer({ min: 0, max: 5000 }))
const anyRates = record({ provider: rate, payer: rate, tof: rate, tte: rate })
const anyAmount = oneof(
  integer({ min: 1, max: 10_000 }),
  maxSafeNat().filter((amount) => amount > 0),
)

/** Whether `part` is `whole` × `basisPoints`, rounded half up, and at least 1 if the rate is above 0. */
function isShare(part: bigint, whole: bigint, basisPoints: number): boolean {
  if (basisPoints === 0) return part === 0n
  const off = part * 10_000n - whole * BigInt(basisPoints)
  return (off > -5000n && off <= 5000n) || (part === 1n && off > 0n)
}

function faults(amount: number, rates: CommissionRates): string[] {
  const parts = Object.values(commissionOf(amount, rates))
  // A number above 2^53 may be rounded, so it proves nothing.
  if (parts.some((part) => !Number.isInteger(part) || part < 0 || part > 2 ** 53)) return ['not countable']
  const [provider = 0n, payer = 0n, tof = 0n, tte = 0n, revenue = 0n] = parts.map(BigInt)
  const fees = provider + payer
  if (rates.provider + rates.payer === 0)
    return parts.every((part) => part === 0) ? [] : ['a tax without a fee']
  const wasRaised = fees === tof + tte + 1n
  const unraised = (part: bigint, basisPoints: number) => isShare(part, BigInt(amount), basisPoints)
  const rules: Record<string, boolean> = {
    'the taxes and the revenue are the fees': tof + tte + revenue === fees,
    'there is revenue': revenue >= 1n,
    'a fee is there where its rate is set, and only there':
      provider > 0n === rates.provider > 0 && payer > 0n === rates.payer > 0,
    'a tax is there where its rate is set, and only there':
      tof > 0n === rates.tof > 0 && tte > 0n === rates.tte > 0,
    'the merchant’s fee is its share of the amount, or raised':
      unraised(provider, rates.provider) || wasRaised,
    'the payer’s fee is its share of the amount, or the only one':
      unraised(payer, rates.payer) || (wasRaised && provider === 0n),
    'the taxes are their shares of the fees':
      wasRaised || (isShare(tof, fees, rates.tof) && isShare(tte, fees, rates.tte)),
  }
  return Object.keys(rules).filter((rule) => !rules[rule])
}

describe("A payment's commission", () => {
  it('matches the example in the documentation', () => {
    const expected = { providerTtc: 1000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1260 }
    expect(commissionOf(50_000, usual)).to.deep.equal(expected)
  })

  it('is rounded half up', () => {
    const provider = (amount: number) => commissionOf(amount, { ...free, provider: 200 }).providerTtc
    expect([74, 75, 124, 125, 174].map(provider)).to.deep.equal([1, 2, 2, 3, 3])
  })

  it('covers both taxes even for the smallest payment and leaves 1 centime of revenue', () => {
    const fees = (changes: object) => commissionOf(1, { ...usual, ...changes })
    const rest = { tof: 1, tte: 1, totalRevenue: 1 }
    expect(fees({})).to.deep.equal({ ...rest, providerTtc: 2, payerTtc: 1 })
    expect(fees({ payer: 0 })).to.deep.equal({ ...rest, providerTtc: 3, payerTtc: 0 })
    expect(fees({ provider: 0 })).to.deep.equal({ ...rest, providerTtc: 0, payerTtc: 3 })
  })

  it('is zero if neither side pays a fee, whatever the tax rates', () => {
    for (const rates of [free, { ...free, tof: 1400, tte: 200 }])
      for (const amount of [1, 50_000, Number.MAX_SAFE_INTEGER])
        expect(commissionOf(amount, rates)).to.deep.equal(noCommission)
  })

  it('follows the rules for every small amount, at usual and extreme rates', () => {
    const max: CommissionRates = { provider: 5000, payer: 5000, tof: 5000, tte: 5000 }
    const extreme = [max, free, { ...free, payer: 1 }, { ...max, provider: 1, payer: 0 }]
    const all = [usual, { ...usual, provider: 0 }, { ...usual, payer: 0 }, ...extreme]
    const amounts = Array.from({ length: inFull(10_000, 2_500) }, (_, index) => index + 1)
    for (const rates of all)
      expect(amounts.filter((amount) => faults(amount, rates).length > 0)).to.deep.equal([])
  })

  it('follows the rules for any safe integer amount, at any rates', () => {
    for (const amount of [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1])
      for (const provider of [1, 200, 5000])
        for (const payer of [0, 1, 5000]) {
          const wrong = faults(amount, { ...usual, provider, payer })
          expect(wrong, `${amount} ${provider} ${payer}`).to.deep.equal([])
        }
    const rule = property(anyAmount, anyRates, (amount, rates) => faults(amount, rates).length === 0)
    assert(rule, { numRuns: 3000 })
  })
})
