import { array, assert, boolean, integer, nat, oneof, property, record } from 'fast-check'
import * as refunds from '../../src/intents/refunds/begin-and-settle.ts'
import { commissionOf, noCommission, type ReturnedFees } from '../../src/wallets/commission.ts'

type State = { refundsCommitted: number; feesReturned: ReturnedFees }
type Made = { amount: number; returnedFees: ReturnedFees }
const fees = ['providerTtc', 'payerTtc'] as const

const matches = (state: State, guard: Record<string, unknown>): boolean =>
  Object.entries(guard).every(([path, wanted]) => {
    const value = valueAt(state, path)
    if (typeof wanted === 'number') return value === wanted
    const { $lt = Infinity, $lte = Infinity } = wanted as { $lt?: number; $lte?: number }
    return value < $lt && value <= $lte
  })

const valueAt = ({ refundsCommitted, feesReturned }: State, path: string): number =>
  path === 'refundsCommitted' ? refundsCommitted : feesReturned[path.split('.')[1] as keyof ReturnedFees]

const incremented = (state: State, $inc: Record<string, number>): State => ({
  refundsCommitted: state.refundsCommitted + ($inc['refundsCommitted'] ?? 0),
  feesReturned: {
    providerTtc: state.feesReturned.providerTtc + ($inc['feesReturned.providerTtc'] ?? 0),
    payerTtc: state.feesReturned.payerTtc + ($inc['feesReturned.payerTtc'] ?? 0),
  },
})

const amount = oneof(integer({ min: 1, max: 300 }), integer({ min: 1, max: 6_000_000_000_000_000 }))
const rate = integer({ min: 0, max: 5000 })
/** Refunds a portion of what was left `stale` writes ago, or releases an earlier refund. */
const step = record({ isRelease: boolean(), share: integer({ min: 1, max: 4 }), pick: nat(), stale: nat(3) })

describe('The fee returned by refunds', () => {
  it("equals the payment's fee if one refund returns the whole payment", () => {
    const commission = commissionOf(10_001, { provider: 150, payer: 75, tof: 1400, tte: 200 })
    const nothing = { refundsCommitted: 0, feesReturned: { providerTtc: 0, payerTtc: 0 } }
    const { returnedFees } = refunds.feePortionsOf({ amountPaid: 10_001, commission }, nothing, 10_001)
    expect(returnedFees).to.deep.equal({ providerTtc: commission.providerTtc, payerTtc: commission.payerTtc })
  })

  describe('for one refund of 500 out of 1 000 centimes', () => {
    const commission = { ...noCommission, providerTtc: 15, payerTtc: 7 }
    const portions = (refundsCommitted: number, providerTtc: number, payerTtc: number) => {
      const before = { refundsCommitted, feesReturned: { providerTtc, payerTtc } }
      return refunds.feePortionsOf({ amountPaid: 1000, commission }, before, 500)
    }
    const guarded = (refundsCommitted: unknown, [own, payers]: unknown[], returned: [number, number]) => ({
      returnedFees: { providerTtc: returned[0], payerTtc: returned[1] },
      guard: { refundsCommitted, 'feesReturned.providerTtc': own, 'feesReturned.payerTtc': payers },
    })
    const ranged = guarded({ $lt: 500 }, [{ $lte: 8 }, { $lte: 4 }], [7, 3])

    it('is rounded down if at least that much is left of both fees', () => {
      expect(portions(0, 0, 0)).to.deep.equal(ranged)
      expect(portions(100, 8, 4)).to.deep.equal(ranged)
    })

    it('is capped at what is left of each fee', () => {
      expect(portions(100, 9, 0)).to.deep.equal(guarded(100, [9, 0], [6, 3]))
      expect(portions(100, 0, 5)).to.deep.equal(guarded(100, [0, 5], [7, 2]))
    })

    it('is all that is left if nothing is left to refund afterwards', () =>
      expect(portions(500, 7, 3)).to.deep.equal(guarded(500, [7, 3], [8, 4])))

    it('is reserved, and released if the refund fails', () => {
      const refund = { amount: 500, returnedFees: { providerTtc: 7, payerTtc: 3 } }
      const paths = { refundsCommitted: 500, 'feesReturned.providerTtc': 7, 'feesReturned.payerTtc': 3 }
      expect(refunds.refundIncrements(refund)).to.deep.equal(paths)
      const undone = Object.entries(paths).map(([path, value]) => [path, -value])
      expect(refunds.refundDecrements(refund)).to.deep.equal(Object.fromEntries(undone))
    })
  })

  it("never exceeds the payment's fee, and equals it once everything is refunded", () =>
    assert(
      property(amount, rate, rate, array(step, { maxLength: 30 }), (amountPaid, provider, payer, steps) => {
        const commission = commissionOf(amountPaid, { provider, payer, tof: 1400, tte: 200 })
        const payment = { amountPaid, commission }
        const states: State[] = [{ refundsCommitted: 0, feesReturned: { providerTtc: 0, payerTtc: 0 } }]
        const made: Made[] = []
        let hasReleased = false
        const now = () => states.at(-1) as State
        const refund = (seen: State, part: number): void => {
          if (part < 1) return
          const { returnedFees, guard } = refunds.feePortionsOf(payment, seen, part)
          if (!matches(now(), guard)) return
          made.push({ amount: part, returnedFees })
          states.push(incremented(now(), refunds.refundIncrements({ amount: part, returnedFees })))
          const isLast = now().refundsCommitted === amountPaid
          for (const fee of fees) {
            const portion = Number((BigInt(commission[fee]) * BigInt(part)) / BigInt(amountPaid))
            if (!isLast && !hasReleased) expect(returnedFees[fee]).to.equal(portion)
            if (!isLast) expect(returnedFees[fee]).to.be.at.most(portion)
          }
        }
        const check = (): void => {
          const { refundsCommitted, feesReturned } = now()
          expect(refundsCommitted).to.be.at.most(amountPaid)
          for (const fee of fees) {
            expect(feesReturned[fee]).to.equal(made.reduce((sum, each) => sum + each.returnedFees[fee], 0))
            expect(feesReturned[fee]).to.be.within(0, commission[fee])
            if (refundsCommitted === amountPaid) expect(feesReturned[fee]).to.equal(commission[fee])
          }
          for (const { returnedFees } of made)
            for (const fee of fees) expect(returnedFees[fee]).to.be.at.least(0)
        }
        for (const { isRelease, share, pick, stale } of steps) {
          const seen = states.at(-1 - stale) ?? now()
          if (!isRelease) refund(seen, Math.floor((amountPaid - seen.refundsCommitted) / share))
          else if (made.length > 0) {
            const [gone] = made.splice(pick % made.length, 1)
            if (gone !== undefined) states.push(incremented(now(), refunds.refundDecrements(gone)))
            hasReleased = true
          }
          check()
        }
        refund(now(), amountPaid - now().refundsCommitted)
        check()
        expect(now().refundsCommitted).to.equal(amountPaid)
      }),
    ))
})
