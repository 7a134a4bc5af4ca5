import { expect } from 'chai'
import { bookEvents, type LedgerAppender, openLedger } from '../../src/ledger/book.ts'
import type { LedgerEntry } from '../../src/ledger/entry.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { newEvent } from '../../src/outbox/event.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent, relay } from '../support/actions.ts'
import { refund, simulate } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { withMerchant, withService } from '../support/service.ts'

const dayMs = 86_400_000

describe('The ledger', () => {
  const service = withService()
  const merchant = withMerchant(service)
  beforeEach(() => service.clock.freeze(new Date('2027-03-10T12:00:00Z')))
  const owner = () => ({ businessId: merchant.businessId, sandbox: true })

  const chain = () =>
    service.deps.LedgerEntry.find(owner(), {}, { sort: { number: 1 } }).lean<LedgerEntry[]>()

  const paid = (amount: number, paidAt = service.clock.now()) =>
    newEvent(
      'payment.confirmed',
      paidAt,
      {
        format: 1,
        facts: {
          status: 'PAID',
          amount,
          paidAt,
          payerPhone: '22******01',
          commission: { providerTtc: 2, payerTtc: 1, tof: 1, tte: 1, totalRevenue: 1 },
        },
      },
      null,
    )
  const source = () => ({ ...owner(), referenceNumber: 'PI-2222222222222222' })
  const book = (ledger: LedgerAppender, events: ReturnType<typeof paid>[]) => {
    excuse(events.flatMap(({ id }) => [id, `${id}-fee`]))
    return bookEvents({ batchers: ledger }, source(), events, noDeadline)
  }

  async function pay(amount: number): Promise<string> {
    const { referenceNumber } = await createIntent(service, merchant, { amount })
    await simulate(service, merchant, referenceNumber)
    return referenceNumber
  }

  it('books a payment, its fee and its refund, each with the balance after it', async () => {
    const referenceNumber = await pay(10_000)
    await refund(service, merchant, referenceNumber, 4_000)
    await relay(service, merchant)
    const entries = await chain()
    expect(
      entries.slice(0, 4).map(({ number, type, amount, after }) => [number, type, amount, after.balance]),
    ).to.deep.equal([
      [1, 'payment', 10_000, 10_000],
      [2, 'fee', -200, 9_800],
      [3, 'refund', -4_000, 5_800],
      [4, 'fee', 80, 5_880],
    ])
    expect(entries.map((each) => each.referenceNumber)).to.deep.equal(entries.map(() => referenceNumber))
    expect(entries.map(({ position }) => position)).to.deep.equal(entries.map((_, at) => at + 1))
  })

  it('books each event once when many processes book the same events at once', async () => {
    const before = await chain()
    const { models } = service.deps.lists
    const processes = Array.from({ length: 6 }, () =>
      openLedger({ LedgerEntry: models.LedgerEntry }, service.deps.now),
    )
    const events = Array.from({ length: 40 }, (_, at) => paid(1_000 + at))
    await Promise.all(
      processes.flatMap((ledger, at) =>
        events.map((event, index) => book(ledger, [event, events[(index + at) % events.length] ?? event])),
      ),
    )
    expect(await chain()).to.have.length(before.length + 2 * events.length)
  })

  it('books a large outbox with inserts of at most 500 entries, so that it does not block its process', async () => {
    const before = await chain()
    const events = Array.from({ length: 700 }, (_, at) => paid(1_000 + at))
    const operations = await profiled(service, () => book(service.deps.batchers, events))
    const inserted = operations.flatMap(({ ninserted = 0 }) => (ninserted === 0 ? [] : ninserted))
    expect(inserted).to.deep.equal([500, 500, 400])
    const ids = (await chain()).slice(before.length).map(({ _id }) => _id)
    expect(ids).to.deep.equal(events.flatMap(({ id }) => [id, `${id}-fee`]))
  })

  it('closes a day before it books the first entry of a later day, and books a late payment in the open day', async () => {
    const ledger = openLedger(service.deps, service.deps.now)
    const today = (await chain()).at(-1)?.after
    const late = paid(500)
    service.clock.advance(3 * dayMs)
    await book(ledger, [paid(700), late])
    const [closing, , , payment] = (await chain()).slice(-5)
    expect(closing).to.include({ type: 'closing', day: '2027-03-10', through: '2027-03-12' })
    expect(closing?.closed).to.deep.equal({
      opening: 0,
      payments: today?.payments,
      refunds: today?.refunds,
      fees: today?.fees,
      payouts: { count: 0, amount: 0 },
      closing: today?.balance,
    })
    expect(closing?.after).to.deep.include({ opening: today?.balance, payments: { count: 0, amount: 0 } })
    expect(payment).to.include({ type: 'payment', day: '2027-03-10', amount: 500 })
    expect(payment?.bookedAt.toISOString().slice(0, 10)).to.equal('2027-03-13')
    expect(payment?.after.payments).to.deep.equal({ count: 2, amount: 1_200 })
  })

  it('does not let a process that was frozen over midnight change the closed day', async () => {
    const last = (await chain()).at(-1)
    const frozenAt = last?.bookedAt ?? service.clock.now()
    service.clock.freeze(new Date(frozenAt.getTime() + dayMs))
    await book(openLedger(service.deps, service.deps.now), [paid(100)])
    await book(
      openLedger(service.deps, () => frozenAt),
      [paid(200, frozenAt)],
    )
    const [closing, , , payment] = (await chain()).slice(-5)
    expect(closing?.number).to.equal((last?.number ?? 0) + 1)
    expect(payment?.bookedAt.getTime()).to.equal(service.clock.now().getTime())
    expect(payment?.after.payments).to.deep.equal({ count: 2, amount: 300 })
  })
})
