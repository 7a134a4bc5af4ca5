import * as ledger from '../../src/ledger/entry.ts'

const owner = { businessId: 'b', sandbox: true }
const noon = (day: number): Date => new Date(Date.UTC(2026, 10, day, 12))
const nothing = { payment: 0, refund: 0, fee: 0, payout: 0 }

const draft = (type: ledger.LedgerDraft['type'], amount: number): ledger.LedgerDraft => ({
  _id: `${type} ${amount}`,
  type,
  amount,
  day: '2026-11-01',
  reason: 'why',
})

function book(day: number, ...drafts: ledger.LedgerDraft[]): ledger.LedgerEntry[] {
  const chain: ledger.LedgerEntry[] = []
  for (const each of drafts)
    chain.push(...ledger.linkLedgerEntry(owner, chain.at(-1) ?? null, each, noon(day)))
  return chain
}
const lastOf = (chain: ledger.LedgerEntry[]): ledger.LedgerEntry => chain.at(-1) as ledger.LedgerEntry
const payment = lastOf(book(26, draft('payment', 500)))

describe('A ledger entry', () => {
  it('is number 1 in an empty ledger and keeps the fields of its draft', () => {
    const live = { ...owner, sandbox: false }
    const linked = ledger.linkLedgerEntry(live, null, draft('payment', 500), noon(26))
    const booked = { number: 1, bookedAt: noon(26), position: 1, typePosition: 1 }
    const totals = { ...ledger.createZeroTotals(), payments: { count: 1, amount: 500 }, entries: 1 }
    const after = { ...totals, balance: 500, opening: 0, byType: { ...nothing, payment: 1 } }
    expect(linked).to.deep.equal([{ ...draft('payment', 500), ...live, ...booked, after }])
  })

  it("changes the balance, the day's totals and the positions according to its type", () => {
    const types = ['payment', 'fee', 'refund', 'payout', 'fee', 'payment', 'refund', 'payout'] as const
    const amounts = [500, -10, -200, -100, 4, 30, -1, -2]
    const chain = book(26, ...types.map((type, index) => draft(type, amounts[index] ?? 0)))
    expect(chain.map(({ number }) => number)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8])
    expect(chain.map(({ position }) => position)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8])
    expect(chain.map(({ typePosition }) => typePosition)).to.deep.equal([1, 1, 1, 1, 2, 2, 2, 2])
    expect(lastOf(chain).after).to.deep.equal({
      balance: 221,
      opening: 0,
      entries: 8,
      byType: { payment: 2, refund: 2, fee: 2, payout: 2 },
      payments: { count: 2, amount: 530 },
      refunds: { count: 2, amount: 201 },
      fees: { amount: 6 },
      payouts: { count: 2, amount: 102 },
    })
  })

  it('follows a closing marker if the last entry was booked on an earlier day', () => {
    const [closing, next, ...more] = ledger.linkLedgerEntry(owner, payment, draft('payment', 7), noon(29))
    expect(more).to.deep.equal([])
    const days = { day: '2026-11-26', through: '2026-11-28' }
    const marker = { ...owner, ...days, number: 2, type: 'closing', amount: 0, bookedAt: noon(29) }
    const totals = { ...ledger.createZeroTotals(), opening: 0, payments: { count: 1, amount: 500 } }
    expect(closing).to.deep.equal({
      ...marker,
      _id: 'b-test-2026-11-28',
      closed: { ...totals, closing: 500 },
      after: { ...payment.after, ...ledger.createZeroTotals(), opening: 500 },
    })
    expect(next).to.include({ number: 3, position: 2, typePosition: 2, type: 'payment' })
    expect(next?.after).to.include({ balance: 507, opening: 500 })
  })

  it('never has an earlier booking time than the previous entry, even if a clock is behind', () => {
    const [early, ...more] = ledger.linkLedgerEntry(owner, payment, draft('fee', -1), noon(25))
    expect([early?.bookedAt, more]).to.deep.equal([noon(26), []])
    const [later] = ledger.linkLedgerEntry(owner, payment, draft('fee', -1), new Date(noon(26).getTime() + 1))
    expect(later?.bookedAt).to.deep.equal(new Date(noon(26).getTime() + 1))
  })
})

describe('A closing marker', () => {
  it('closes all days before today only once', () => {
    expect(ledger.linkClosingMarker(owner, payment, noon(26))).to.equal(null)
    expect(ledger.linkClosingMarker(owner, payment, noon(25))).to.equal(null)
    const marker = ledger.linkClosingMarker(owner, payment, noon(27))
    expect(marker).to.include({ through: '2026-11-26', day: '2026-11-26', number: 2 })
    expect(ledger.linkClosingMarker(owner, marker, noon(27))).to.equal(null)
  })

  it('closes an empty ledger with a balance of zero', () => {
    expect(ledger.linkClosingMarker({ ...owner, sandbox: false }, null, noon(1))).to.deep.include({
      _id: 'b-live-2026-10-31',
      number: 1,
      day: '2026-10-31',
      through: '2026-10-31',
      closed: { ...ledger.createZeroTotals(), opening: 0, closing: 0 },
      after: { ...ledger.createZeroTotals(), balance: 0, opening: 0, entries: 0, byType: nothing },
    })
  })
})
