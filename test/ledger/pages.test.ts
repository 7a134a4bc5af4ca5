import { createZeroTotals, type LedgerEntry } from '../../src/ledger/entry.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { profiled } from '../support/profiled.ts'
import { withServiceAndMerchant } from '../support/service.ts'

/** Entries that the clean-up would have removed before the stored ones. */
const removed = 1_000_000
const stored = 900
const minuteMs = 60_000

describe('A ledger page', () => {
  const { service, merchant } = withServiceAndMerchant()
  const begunAt = Date.parse('2027-03-01T00:00:00Z')
  const at = (n: number) => new Date(begunAt + n * minuteMs)
  const isRefund = (n: number) => n % 3 === 2
  const [refundId, returnedFees] = ['RF-2222222222222222', { providerTtc: 0, payerTtc: 0 }]
  const refund = (startedAt: Date) => ({ refundId, startedAt, occurredAt: startedAt, returnedFees })
  before(async () => {
    service.clock.freeze(at(stored))
    const { businessId } = merchant
    breaks(service, 'ledger chain')
    await rawCollection(service.deps.LedgerEntry).insertMany(
      Array.from({ length: stored }, (_, n): LedgerEntry => {
        const refunds = removed / 10 + Math.floor((n + 1) / 3)
        const position = removed + n + 1
        const byType = { payment: position - refunds, refund: refunds, fee: 0, payout: 0 }
        const type = isRefund(n) ? 'refund' : 'payment'
        return {
          _id: (n + 1).toString(16).padStart(24, '0'),
          businessId,
          sandbox: true,
          number: position + 30,
          type,
          amount: isRefund(n) ? -1 : 1,
          referenceNumber: 'PI-2222222222222222',
          ...(isRefund(n) && refund(at(n))),
          bookedAt: at(n),
          day: at(n).toISOString().slice(0, 10),
          position,
          typePosition: byType[type],
          after: { ...createZeroTotals(), balance: 1, opening: 0, entries: position, byType },
        }
      }),
    )
  })

  /** MongoDB may read only a few more documents than the page shows. */
  async function read(path: string) {
    let data = { items: [] as { number: number; bookedAt: string }[], total: 0, hasMore: false }
    const operations = await profiled(service, async () => {
      const { body, status } = await service.http.get(`/api/v1/dev/${path}`).set(merchant.read())
      expect(status, JSON.stringify(body)).to.equal(200)
      data = body.data
    })
    const ours = operations.filter(({ ns }) => ns.endsWith('.ledgerentries'))
    const sum = (field: 'docsExamined' | 'keysExamined') =>
      ours.reduce((total, { [field]: count = 0 }) => total + count, 0)
    expect(sum('docsExamined'), path).to.be.at.most(data.items.length + 3)
    expect(sum('keysExamined'), path).to.be.at.most(data.items.length + 8)
    expect(ours.filter(({ hasSortStage }) => hasSortStage)).to.deep.equal([])
    return data
  }

  it('shows each entry once, newest first, and reads only the entries that it shows', async () => {
    const numbers: number[] = []
    for (let page = 1, hasMore = true; hasMore; page += 1) {
      const data = await read(`balance/entries?limit=100&page=${page}`)
      expect(data.total).to.equal(stored)
      numbers.push(...data.items.map(({ number }) => number))
      ;({ hasMore } = data)
    }
    expect(numbers).to.deep.equal(Array.from({ length: stored }, (_, n) => removed + stored - n))
    expect(await read(`balance/entries?limit=100&page=${stored / 100 + 1}`)).to.include({ hasMore: false })
  })

  it('reads only the entries that it shows when filtered by type or period', async () => {
    const span = `from=${at(300).toISOString()}&to=${at(599).toISOString()}`
    const period = await read(`balance/entries?${span}&limit=100&page=3`)
    expect([period.total, period.items.length, period.hasMore]).to.deep.equal([300, 100, false])
    expect(period.items.at(-1)?.bookedAt).to.equal(at(300).toISOString())
    expect((await read(`balance/entries?${span}&type=payment&page=2`)).total).to.equal(200)
    expect((await read('balance/entries?type=fee')).total).to.equal(0)
    expect((await read('balance/entries?to=2027-02-28')).total).to.equal(0)
    const refunds = await read(`refunds?${span}&limit=7&page=15`)
    expect([refunds.total, refunds.items.length, refunds.hasMore]).to.deep.equal([100, 2, false])
    expect((await read('refunds?page=15')).total).to.equal(stored / 3)
  })
})
