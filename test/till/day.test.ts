import { parse } from 'node-html-parser'
import { dayMs, hourMs, startOfUtcDay, toUtcDay, utcDayNumber } from '../../src/platform/time.ts'
import { nextPath, readable, unescaped } from '../admin/staff.ts'
import { enter } from '../people/member.ts'
import { inFull } from '../support/machine.ts'
import { pay, simulate } from '../support/pay.ts'
import { asMerchant, withService } from '../support/service.ts'
import { atTill, type Cashier, newBusiness, openTill } from './cashier.ts'

describe("The till's day", () => {
  const service = withService()
  let till: Cashier
  let other: Cashier
  let owner: Cashier
  beforeEach(async () => {
    const businessId = await newBusiness(service)
    till = await openTill(service, businessId)
    other = await openTill(service, businessId)
    owner = atTill(service, await enter(service, businessId, 'owner'))
  })
  afterEach(() => service.clock.freeze(null))

  /** The cells of the table with sums, row by row. */
  async function sumsOf(cashier: Cashier, query = ''): Promise<string[][]> {
    const { status, text } = await cashier.visitor.get(`${cashier.base}/day${query}`)
    if (status !== 200) throw new Error(readable(text))
    const [table] = parse(text).querySelectorAll('table')
    const rows = table?.querySelectorAll('tbody tr') ?? []
    return rows.map((row) =>
      row.querySelectorAll('td').map((each) => unescaped(each.text).replaceAll(/\s+/g, ' ').trim()),
    )
  }

  it('shows sums per cashier, and the payments that were paid and those that were not', async () => {
    const merchant = asMerchant(till.visitor.businessId, await service.key(till.visitor.businessId))
    const [first, second, third] = [
      await till.make('1000', 'Riz'),
      await till.make('300'),
      await other.make('50.50'),
    ]
    const unpaid = await other.make('7', 'Personne')
    for (const { intent } of [first, second, third]) await simulate(service, merchant, intent.referenceNumber)
    const refund = { amount: 40_000 }
    await service.http
      .post(`/api/v1/dev/intents/${first.intent.referenceNumber}/refund`)
      .set(merchant.write())
      .send(refund)
      .expect(200)
    const sums = await sumsOf(till)
    const [own, others] = [till, other].map(({ visitor }) => sums.find(([name]) => name === visitor.name))
    expect(own).to.deep.equal([till.visitor.name, '2', '1,300.00 MRU', '400.00 MRU', '900.00 MRU'])
    expect(others).to.deep.equal([other.visitor.name, '1', '50.50 MRU', '0.00 MRU', '50.50 MRU'])
    expect(sums.at(-1)).to.deep.equal(['Total', '3', '1,350.50 MRU', '400.00 MRU', '950.50 MRU'])
    const day = await till.visitor.read(`${till.base}/day`)
    expect(day).to.include('Riz').and.include('Partly refunded').and.not.include('Personne')
    expect(day).to.include('The daily statement may differ')
    const open = await till.visitor.get(`${till.base}/day?of=unpaid`)
    expect(open.text).to.include(unpaid.path).and.include('Personne').and.not.include(first.path)
    expect(await sumsOf(till, '?of=unpaid')).to.deep.equal(sums)
  })

  it('shows other days only to owners', async () => {
    const tomorrow = startOfUtcDay(utcDayNumber(service.clock.now()) + 1)
    service.clock.freeze(new Date(tomorrow.getTime() + hourMs))
    const day = toUtcDay(service.clock.now())
    const { intent } = await till.make('25')
    await pay(service, intent.referenceNumber)
    expect(await sumsOf(till, `?day=${day}`)).to.have.length(2)
    service.clock.advance(dayMs)
    for (const cashier of [till, owner]) await cashier.signInAgain()
    expect((await till.visitor.get(`${till.base}/day?day=${day}`)).status).to.equal(403)
    expect(await sumsOf(till)).to.deep.equal([])
    expect(await sumsOf(owner, `?day=${day}`)).to.have.length(2)
    expect((await till.visitor.get(`${till.base}/day`)).text).to.not.include('type="date"')
    expect((await owner.visitor.get(`${till.base}/day`)).text).to.include('type="date"')
  })

  it('refuses days and pages that do not exist', async () => {
    for (const query of ['day=2026-02-30', 'day=2999-01-01', 'day=x', 'of=all', 'page=0', 'page=x'])
      expect((await owner.visitor.get(`${owner.base}/day?${query}`)).status, query).to.equal(400)
    expect((await till.visitor.get(`${till.base}/day?day=1&day=2`)).status).to.equal(403)
  })

  it('takes hundreds of payments, with at most 3 taps each', async () => {
    const count = inFull(300, 24)
    let total = 0
    for (let made = 0; made < count; made += 1) {
      const cashier = made % 3 === 0 ? other : till
      const centimes = 100 + made
      total += centimes
      cashier.taps = 0
      const { path, intent } = await cashier.make(String(centimes / 100), `n° ${made}`)
      const page = await cashier.visitor.get(path)
      expect(page.text).to.include(intent.code.slice(0, 3))
      await pay(service, intent.referenceNumber)
      expect(await cashier.state(path)).to.include({ state: 'paid' })
      expect((await cashier.visitor.get(path)).text).to.include('class="receipt"')
      expect(cashier.taps).to.be.at.most(3)
    }
    const { businessId } = till.visitor
    expect(await service.deps.Intent.countDocuments({ businessId, status: 'PAID' })).to.equal(count)
    expect(await service.deps.Intent.countDocuments({ businessId })).to.equal(count)
    const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(total / 100)
    const sums = await sumsOf(till)
    expect(sums.at(-1)).to.deep.equal(['Total', String(count), `${money} MRU`, '0.00 MRU', `${money} MRU`])
    let found = 0
    for (let path: string | undefined = `${till.base}/day`; path !== undefined; ) {
      const { text }: { text: string } = await till.visitor.get(path)
      found += text.match(/data-label="Amount"/g)?.length ?? 0
      path = nextPath(text)
    }
    expect(found, 'on all pages').to.equal(count)
  }).timeout(60_000)
})
