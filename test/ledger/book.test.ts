import { settleRefund } from '../../src/intents/refunds/begin-and-settle.ts'
import { bookEvents, type LedgerAppender, openLedger } from '../../src/ledger/book.ts'
import type { LedgerEntry } from '../../src/ledger/entry.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newEvent } from '../../src/outbox/event.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { createIntent, post, readIntent, relay } from '../support/actions.ts'
import { beginOwnRefund, newRefund, pay, simulate, storedIntent } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { recordLog } from '../support/recorded-log.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { withService, withServiceAndMerchant } from '../support/service.ts'

const dayMs = 86_400_000

describe('The ledger', () => {
  const { service, merchant } = withServiceAndMerchant()
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
          payerPhone: '22 ** ** 01',
          commission: { providerTtc: 2, payerTtc: 1, tof: 1, tte: 1, totalRevenue: 1 },
        },
      },
      null,
    )
  const source = () => ({ ...owner(), referenceNumber: 'PI-2222222222222222' })
  const book = (ledger: LedgerAppender, events: ReturnType<typeof paid>[]) =>
    bookEvents({ batchers: ledger }, source(), events, noDeadline)
  const get = async (path: string): Promise<Record<string, unknown>[]> =>
    (await service.http.get(`/api/v1/dev/${path}`).set(merchant.read()).expect(200)).body.data.items

  it('books a refund once even if two processes learn its outcome at the same moment', async () => {
    const other = await service.merchant()
    const { referenceNumber } = await createIntent(service, other, { amount: 10_000 })
    expect(await pay(service, referenceNumber)).to.include({ state: 'settled' })
    const paidIntent = await storedIntent(service, referenceNumber)
    const refund = newRefund(service.deps, 4_000)
    breaks(service, 'refunds bounded', referenceNumber)
    expect(await beginOwnRefund(service.deps, paidIntent, { refundsCommitted: 0 }, refund)).to.equal(true)
    const settle = () => settleRefund(service.deps, paidIntent, refund, { outcome: 'done' }, null)
    expect(await Promise.all([settle(), settle()])).to.have.members([true, false])
    await relay(service, other)
    const refunds = { businessId: other.businessId, type: 'refund' } as const
    expect(await service.deps.LedgerEntry.countDocuments(refunds)).to.equal(1)
  })

  it('shows a payment, its fee and its refund in every list', async () => {
    scriptedWallet(service).setOutcome(() => {
      service.clock.advance(1_000)
      return { outcome: 'done' }
    })
    const merchantReference = 'INV-1'
    const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000, merchantReference })
    await pay(service, referenceNumber)
    service.clock.advance(1_000)
    await relay(service, merchant)
    const bookedAt = service.clock.now().toISOString()
    const input = JSON.stringify({ amount: 4_000, reason: 'size' })
    expect((await post(service, merchant, `/intents/${referenceNumber}/refund`, input)).status).to.equal(200)
    service.clock.advance(1_000)
    await relay(service, merchant)
    const { refunds } = await readIntent(service, merchant, referenceNumber)
    const [{ id: refundId, createdAt, refundedAt, returnedFees }] = refunds
    expect([createdAt, refundedAt]).to.deep.equal([bookedAt, '2027-03-10T12:00:03.000Z'])
    expect(returnedFees).to.deep.equal({ providerTtc: 80, payerTtc: 40 })
    const [, booked, refunded] = (await get('events/feed')).map(({ id }) => String(id))
    const origin = { referenceNumber, merchantReference }
    const fields = { ...origin, refundId: null, payoutReference: null, day: '2027-03-10', bookedAt }
    const ofRefund = { ...fields, refundId, bookedAt: refundedAt }
    const entries = [
      { id: booked, number: 1, type: 'payment', amount: 10_000, balance: 10_000, ...fields },
      { id: `${booked}-fee`, number: 2, type: 'fee', amount: -200, balance: 9_800, ...fields },
      { id: refunded, number: 3, type: 'refund', amount: -4_000, balance: 5_800, ...ofRefund },
      { id: `${refunded}-fee`, number: 4, type: 'fee', amount: 80, balance: 5_880, ...ofRefund },
    ]
    expect(await get('balance/entries')).to.deep.equal(entries.toReversed())
    const times = { createdAt, refundedAt, bookedAt: refundedAt }
    const money = { amount: 4_000, currency: 'MRU', reason: 'size', status: 'SUCCEEDED', returnedFees }
    expect(await get('refunds')).to.deep.equal([{ id: refundId, ...origin, ...money, ...times }])
  })

  it('books each event once even if many processes book the same events concurrently', async () => {
    const before = await chain()
    const { models } = service.deps.lists
    const processes = Array.from({ length: 6 }, () => openLedger(models, service.deps.now, service.deps.log))
    const events = Array.from({ length: 40 }, (_, at) => paid(1_000 + at))
    await Promise.all(
      processes.flatMap((ledger, at) =>
        events.map((event, index) => book(ledger, [event, events[(index + at) % events.length] ?? event])),
      ),
    )
    expect(await chain()).to.have.length(before.length + 2 * events.length)
  })

  it('books a large outbox in batches of 500, so that it never blocks the event loop', async () => {
    const before = await chain()
    const events = Array.from({ length: 700 }, (_, at) => paid(1_000 + at))
    const operations = await profiled(service, () => book(service.deps.batchers, events))
    const inserted = operations.flatMap(({ ninserted = 0 }) => (ninserted === 0 ? [] : ninserted))
    expect(inserted).to.deep.equal([500, 500, 400])
    const ids = (await chain()).slice(before.length).map(({ _id }) => _id)
    expect(ids).to.deep.equal(events.flatMap(({ id }) => [id, `${id}-fee`]))
  })

  it('closes a day before it books the first entry of a later day', async () => {
    const ledger = openLedger(service.deps, service.deps.now, service.deps.log)
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

  it('never lets a process that was frozen over midnight change the closed day', async () => {
    const last = (await chain()).at(-1)
    const frozenAt = last?.bookedAt ?? service.clock.now()
    service.clock.freeze(new Date(frozenAt.getTime() + dayMs))
    await book(openLedger(service.deps, service.deps.now, service.deps.log), [paid(100)])
    await book(
      openLedger(service.deps, () => frozenAt, service.deps.log),
      [paid(200, frozenAt)],
    )
    const [closing, , , payment] = (await chain()).slice(-5)
    expect(closing?.number).to.equal((last?.number ?? 0) + 1)
    expect(payment?.bookedAt.getTime()).to.equal(service.clock.now().getTime())
    expect(payment?.after.payments).to.deep.equal({ count: 2, amount: 300 })
  })
})

describe('A booking that would take the balance beyond safe integers', () => {
  const recorded = recordLog('error')
  const service = withService({}, recorded.log)

  it('is refused and logged without delaying other businesses', async () => {
    const [full, other] = [await service.merchant(), await service.merchant()]
    const balances = () =>
      Promise.all(
        [full, other].map(async ({ businessId }) => {
          const last = { sort: { number: -1 } } as const
          return (await service.deps.LedgerEntry.findOne({ businessId }, {}, last).lean())?.after.balance
        }),
      )
    const payTo = async (payee: typeof full) => {
      const { referenceNumber } = await createIntent(service, payee, { amount: 1_000 })
      await simulate(service, payee, referenceNumber)
    }
    await payTo(full)
    await relay(service, full)
    const entry = { businessId: full.businessId, type: 'fee' } as const
    const balance = (await balances())[0] ?? 0
    await service.deps.LedgerEntry.updateOne(entry, { 'after.balance': Number.MAX_SAFE_INTEGER - 900 })
    await payTo(full)
    expect(await relay(service, full).catch(String)).to.match(/not a safe integer/)
    await payTo(other)
    await relay(service, other)
    expect(await balances()).to.deep.equal([Number.MAX_SAFE_INTEGER - 900, balance])
    const [line, ...others] = recorded.lines()
    expect(line).to.include({ msg: 'ledger.full', businessId: full.businessId })
    expect(others).to.deep.equal([])
    await service.deps.LedgerEntry.updateOne(entry, { 'after.balance': balance })
    await relay(service, full)
    expect(await balances()).to.deep.equal([2 * balance, balance])
  })
})
