import { createZeroTotals, type LedgerDraft } from '../../src/ledger/entry.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { newId } from '../../src/platform/ids.ts'
import { expectRefused } from '../api/refused.ts'
import { fixtureReference } from '../invariants/expect-invariants.ts'
import { createIntent, relay } from '../support/actions.ts'
import { refund, simulate } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'

const dayMs = 86_400_000
const api = '/api/v1/dev'

describe('A statement or balance', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const at = (time: string) => service.clock.freeze(new Date(time))
  beforeEach(() => at('2027-03-10T12:00:00Z'))
  const get = async (path: string, headers = {}) => {
    const response = await service.http.get(api + path).set({ ...merchant.read(), ...headers })
    expect(response.status, response.text).to.equal(200)
    return response
  }
  const month = async (name: string) => (await get(`/statements?month=${name}`)).body.data
  const day = async (name: string) => (await get(`/statements/${name}`)).body.data
  const readBalance = async () => (await get('/balance')).body.data
  const balance = async () => (await readBalance()).amount
  const owner = () => ({ businessId: merchant.businessId, sandbox: true })
  const book = (type: LedgerDraft['type'], amount: number): Promise<void> => {
    const today = service.clock.now().toISOString().slice(0, 10)
    const draft = { _id: newId(), type, amount, day: today, referenceNumber: fixtureReference }
    return service.deps.batchers.bookEntries(owner(), [draft], noDeadline)
  }

  it("opens each day with the previous day's closing balance", async () => {
    at('2027-02-27T23:59:59.900Z')
    await book('payment', 10_000)
    await book('fee', -200)
    at('2027-02-28T00:00:00.000Z')
    await book('payment', 500)
    at('2027-03-02T09:00:00Z')
    await book('refund', -4_000)
    await book('fee', 80)
    await book('payout', -6_000)
    at('2027-03-04T12:00:00Z')
    await book('payment', 1)
    const february = await month('2027-02')
    expect(february).to.include({ page: 1, limit: 31, total: 28, hasMore: false })
    const march = await month('2027-03')
    const days = [...february.items, ...march.items]
    expect(days.map((each) => each.day)).to.deep.equal(
      Array.from({ length: 32 }, (_, n) => new Date(Date.UTC(2027, 1, 1 + n)).toISOString().slice(0, 10)),
    )
    let opening = 0
    for (const each of days) {
      expect(each.opening, each.day).to.equal(opening)
      const { payments, refunds, fees, payouts } = each
      opening += payments.amount - refunds.amount - fees.amount - payouts.amount
      expect(each.closing, each.day).to.equal(opening)
      expect(each.closed, each.day).to.equal(each.day < '2027-03-04')
      expect(await day(each.day)).to.deep.equal(each)
    }
    expect(opening).to.equal(await balance())
    expect(days[26]).to.deep.include({ payments: { count: 1, amount: 10_000 }, fees: { amount: 200 } })
    expect(days[29]).to.deep.equal({
      day: '2027-03-02',
      opening: 10_300,
      payments: { count: 0, amount: 0 },
      refunds: { count: 1, amount: 4_000 },
      fees: { amount: -80 },
      payouts: { count: 1, amount: 6_000 },
      closing: 380,
      closed: true,
    })
    expect(days.filter(({ payments, refunds }) => payments.count + refunds.count > 0)).to.have.lengthOf(4)
  })

  it('is zero for a day without entries, even if a process was frozen at midnight', async () => {
    const frozenAt = service.clock.now()
    service.clock.advance(dayMs)
    const idle = { day: '2027-03-10', opening: 0, ...createZeroTotals(), closing: 0, closed: true }
    expect(await day('2027-03-10')).to.deep.equal(idle)
    service.clock.freeze(frozenAt)
    await book('payment', 700)
    service.clock.freeze(new Date(frozenAt.getTime() + dayMs))
    expect(await day('2027-03-10')).to.include({ closing: 0 })
    expect(await day('2027-03-11')).to.include({ opening: 0, closing: 700, closed: false })
  })

  it('contains a refund as soon as the request for it gets a response', async () => {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
    await simulate(service, merchant, referenceNumber)
    expect((await refund(service, merchant, referenceNumber, 4_000)).status).to.equal(200)
    expect((await day('2027-03-10')).refunds).to.deep.equal({ count: 1, amount: 4_000 })
    const listed = (await get('/refunds')).body.data
    expect(listed.items[0]).to.include({ referenceNumber, amount: 4_000, reason: null })
    await relay(service, merchant)
    expect((await get('/refunds')).body.data.total).to.equal(1)
  })

  it('contains a refund that waited over a second for the ledger, once it is relayed', async () => {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
    await simulate(service, merchant, referenceNumber)
    const { batchers } = service.deps
    const { bookEntries } = batchers
    batchers.bookEntries = () => new Promise(() => undefined)
    const sentAt = performance.now()
    expect((await refund(service, merchant, referenceNumber, 4_000)).status).to.equal(200)
    expect(performance.now() - sentAt).to.be.at.least(1_000)
    batchers.bookEntries = bookEntries
    await relay(service, merchant)
    expect(await balance()).to.equal(5_880)
  })

  it('contains all payments of a day even if another process closes it during the read', async () => {
    await book('payment', 700)
    const collection = rawCollection(service.deps.LedgerEntry)
    const { findOne } = collection
    collection.findOne = (async (...read: Parameters<typeof findOne>) => {
      collection.findOne = findOne
      service.clock.advance(dayMs)
      await book('payment', 1)
      return findOne.apply(collection, read)
    }) as typeof findOne
    expect(await day('2027-03-10')).to.deep.include({ payments: { count: 1, amount: 700 }, closing: 700 })
  })

  it('includes everything up to its `asOf` time, even without a running relay', async () => {
    const pay = async () => {
      const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
      await simulate(service, merchant, referenceNumber)
    }
    const time = () => service.clock.now().toISOString()
    expect(await readBalance()).to.deep.equal({ currency: 'MRU', amount: 0, asOf: time() })
    await pay()
    await relay(service, merchant)
    service.clock.advance(60_000)
    const complete = { currency: 'MRU', amount: 9_800, asOf: time() }
    expect(await readBalance()).to.deep.equal(complete)
    await pay()
    service.clock.advance(60_000)
    await pay()
    service.clock.advance(60_000)
    await createIntent(service, await service.merchant())
    const operations = await profiled(service, async () => {
      const asOf = new Date(Date.parse(complete.asOf) - 1).toISOString()
      expect(await readBalance()).to.deep.equal({ ...complete, asOf })
    })
    const ours = operations.filter(({ ns }) => ns.endsWith('.intents'))
    expect(ours.map((each) => `${each.docsExamined} ${each.hasSortStage}`)).to.deep.equal(['1 undefined'])
    await relay(service, merchant)
    expect(await readBalance()).to.deep.equal({ ...complete, amount: 3 * 9_800, asOf: time() })
  })

  it('includes a payment that the relay books during the read', async () => {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
    await simulate(service, merchant, referenceNumber)
    const { lists } = service.deps
    const { read } = lists
    let reads = 0
    lists.read = async (query) => {
      reads += 1
      if (reads === 2) await relay(service, merchant)
      return read(query)
    }
    const asOf = service.clock.now().toISOString()
    expect(await readBalance()).to.deep.equal({ currency: 'MRU', amount: 9_800, asOf })
    lists.read = read
  })

  it('is CSV if the client prefers it', async () => {
    await book('payment', 10_000)
    await book('fee', -10_250)
    const csv = await get('/statements/2027-03-10', { accept: 'application/json;q=0.5, text/csv' })
    expect(csv.headers).to.include({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="statement-2027-03-10.csv"',
    })
    expect(csv.headers.vary).to.include('Accept')
    const [names = '', row = '', ...rest] = csv.text.split('\r\n')
    expect(Object.fromEntries(names.split(',').map((name, n) => [name, row.split(',')[n]]))).to.include({
      'Statement day': '"2027-03-10"',
      'Number of payments': '1',
      Payments: '100.00',
      'Payments (centimes)': '10000',
      Closing: '-2.50',
      'Closing (centimes)': '-250',
    })
    expect(rest).to.deep.equal([''])
    const french = await get('/statements?month=2027-03&delimiter=semicolon', { accept: 'text/csv' })
    expect(french.text.split('\r\n')).to.have.lengthOf(12)
    expect(french.text)
      .to.match(/^\uFEFF/)
      .and.include(';-2,50;')
    const csvOf = async (query: string) => (await get(`/statements?${query}`, { accept: 'text/csv' })).text
    expect(await csvOf('month=2027-03&bom=true')).to.equal(`\uFEFF${await csvOf('month=2027-03')}`)
    expect(await csvOf('month=2027-03&bom=false&delimiter=semicolon')).to.equal(french.text.slice(1))
    for (const accept of ['*/*', 'text/html', 'text/csv;q=0.1, application/json', 'text/csv;q=0, */*'])
      expect((await get('/statements', { accept })).type, accept).to.equal('application/json')
    const refused = await service.http
      .get(`${api}/statements/2027-03-11`)
      .set({ ...merchant.read(), accept: 'text/csv' })
    expect([refused.status, refused.type]).to.deep.equal([400, 'application/json'])
  })

  it("is refused for a day or month that doesn't exist, is in the future or is before 2000", async () => {
    const refused = (path: string, param: string) =>
      expectRefused(service.http.get(api + path).set(merchant.read()), 400, 'VALIDATION_ERROR', { param })
    for (const text of ['2027-02-29', '2027-03-11', '1999-12-31', '2027-3-1', '2027-03-10T00:00Z', 'x'])
      await refused(`/statements/${text}`, 'day')
    for (const text of ['2027-13', '2027-00', '2027-04', '1999-12', '2027', '2027-03-01', ''])
      await refused(`/statements?month=${text}`, 'month')
    // These apply only to CSV, and the request accepts JSON.
    for (const path of ['/statements', '/statements/2027-03-10']) {
      await refused(`${path}?delimiter=semicolon`, 'delimiter')
      await refused(`${path}?bom=true`, 'bom')
    }
    expect(await day('2000-01-01')).to.include({ opening: 0, closing: 0 })
    expect((await get('/statements')).body.data.total).to.equal(10)
  })
})
