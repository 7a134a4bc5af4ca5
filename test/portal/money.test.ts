import { createBusiness } from '../../src/businesses/change-business.ts'
import { nextPath, operator, readable, unescaped } from '../admin/staff.ts'
import { enter, type PersonVisitor } from '../people/member.ts'
import { changeAsOperator, createIntent, relay } from '../support/actions.ts'
import { bookOne } from '../support/ledger.ts'
import { pay, refund } from '../support/pay.ts'
import { asMerchant, type Merchant, withService } from '../support/service.ts'

const api = '/api/v1/dev'

describe("The portal's money", () => {
  const service = withService()
  let shop: Merchant
  let owner: PersonVisitor
  let accountant: PersonVisitor
  let base: string
  const openShop = async (): Promise<Merchant> => {
    const { _id } = await createBusiness(service.deps, { name: 'Épicerie', liveApproved: false }, operator)
    return asMerchant(_id, await service.key(_id))
  }
  const today = () => service.clock.now().toISOString().slice(0, 10)
  const ledger = () => ({ businessId: shop.businessId, sandbox: true })
  beforeEach(async () => {
    shop = await openShop()
    base = `/portal/${shop.businessId}/test/money`
    ;[owner, accountant] = [
      await enter(service, shop.businessId, 'owner'),
      await enter(service, shop.businessId, 'accountant'),
    ]
  })

  /** A payment of 500.00 of which 120.00 was returned. */
  async function trade(): Promise<string> {
    const { referenceNumber } = await createIntent(service, shop, {
      amount: 50_000,
      merchantReference: 'CMD-9',
    })
    await pay(service, referenceNumber)
    await refund(service, shop, referenceNumber, 12_000)
    await relay(service, shop)
    return referenceNumber
  }

  it('shows the balance and the month, also when there is nothing or a debt', async () => {
    const empty = readable((await accountant.get(base)).text)
    expect(empty)
      .to.match(/0\.00\sMRU What the operator owes you/)
      .and.include('No movements in this month')
    await trade()
    const { data } = (await service.http.get(`${api}/balance`).set(shop.read())).body
    for (const visitor of [owner, accountant]) {
      const page = await visitor.get(base)
      expect(page.text).to.include(`${(data.amount / 100).toFixed(2)}\u00a0MRU`)
      expect(page.text).to.include(`/statements/${today()}"`)
      expect(readable(page.text)).to.match(/500\.00\sMRU \(1\).*120\.00\sMRU \(1\)/)
    }
    await bookOne(service, ledger(), 'payout', 100_000, 'VIR-1')
    expect((await owner.get(base)).text)
      .to.include('You owe this')
      .and.match(/-\d[\d,.]*\u00a0MRU/)
    const cashier = await enter(service, shop.businessId, 'cashier')
    for (const path of ['', '/entries', '/refunds', `/statements/${today()}`, '/statements/file'])
      expect((await cashier.get(base + path)).status, path).to.equal(403)
  })

  it('explains a wrong month, and has no page for a day that is none', async () => {
    for (const month of ['2026-13', '2999-01', 'x', '2026-01&month=2026-02']) {
      const { status, text } = await owner.get(`${base}?month=${month}`)
      expect([status, text.includes('month-fault')], month).to.deep.equal([400, true])
    }
    const past = await owner.get(`${base}?month=2020-02`)
    expect(past.text).to.include('value="2020-02"').and.include('No movements in this month')
    for (const day of ['2999-01-01', '2026-02-30', 'x'])
      expect((await owner.get(`${base}/statements/${day}`)).status, day).to.equal(404)
    expect((await owner.get(`${base}/statements/file?month=x`)).status).to.equal(400)
    const french = await owner.get(`${base}?month=x&lang=fr`)
    expect(unescaped(french.text)).to.include('Saisissez un mois déjà commencé')
  })

  it('shows the statement of a day, and sends the files of the API', async () => {
    await trade()
    const page = await accountant.get(`${base}/statements/${today()}`)
    expect(readable(page.text)).to.match(/Payments 500\.00\sMRU \(1\) Refunds 120\.00\sMRU \(1\)/)
    expect(page.text).to.include('This day is not over')
    const month = today().slice(0, 7)
    const files = [
      [
        `/statements/file?month=${month}&delimiter=semicolon`,
        `/statements?month=${month}&delimiter=semicolon`,
      ],
      [`/statements/file?delimiter=comma`, '/statements?delimiter=comma'],
      [`/statements/${today()}/file?delimiter=comma`, `/statements/${today()}?delimiter=comma`],
    ]
    for (const [own, same] of files) {
      const file = await service.http.get(base + own).set('Cookie', accountant.cookie)
      const expected = await service.http.get(api + same).set({ ...shop.read(), Accept: 'text/csv' })
      expect([file.status, expected.status], own).to.deep.equal([200, 200])
      expect(file.text, own).to.equal(expected.text)
      expect(file.headers['content-disposition']).to.equal(expected.headers['content-disposition'])
    }
  })

  it('lists movements by type and date, page by page', async () => {
    const reference = await trade()
    await bookOne(service, ledger(), 'payout', 4_000, 'VIR-7')
    const all = await accountant.get(`${base}/entries`)
    const text = readable(all.text)
    for (const part of [
      'VIR-7',
      '-40.00',
      'Payout',
      '-120.00',
      'Refund',
      '500.00',
      'Fee',
      'CMD-9',
      reference,
    ])
      expect(text).to.include(part)
    expect(all.text).to.include(`/test/payments/${reference}"`)
    const payouts = await owner.get(`${base}/entries?type=payout`)
    expect(payouts.text).to.include('VIR-7').and.include('>Payouts</h1>')
    expect(payouts.text).to.not.include('CMD-9')
    const before = await owner.get(`${base}/entries?type=payout&to=2020-01-01`)
    expect(before.text).to.include('No payouts here')
    for (const [query, field] of [
      ['from=x', 'from'],
      ['type=gift', 'type'],
      ['from=2026-02-02&to=2026-01-01', 'from'],
    ]) {
      const { status, text: wrong } = await owner.get(`${base}/entries?${query}`)
      expect([status, wrong.includes(`${field}-fault`)], query).to.deep.equal([400, true])
    }
    for (let count = 0; count < 12; count += 1) await bookOne(service, ledger(), 'payment', 1_000 + count)
    const first = await owner.get(`${base}/entries?from=2020-01-01`)
    const second = await owner.get(nextPath(first.text) ?? '')
    expect(second.text).to.include('VIR-7').and.include('value="2020-01-01"')
    expect(nextPath(second.text)).to.equal(undefined)
  })

  it('lists refunds with their payment', async () => {
    expect((await owner.get(`${base}/refunds`)).text).to.include('No refunds here')
    const reference = await trade()
    const page = await accountant.get(`${base}/refunds?from=${today()}&to=${today()}`)
    expect(page.text).to.include('120.00\u00a0MRU').and.include(`/payments/${reference}"`)
    expect((await owner.get(`${base}/refunds?from=x`)).status).to.equal(400)
  })

  it('shows only the own business and environment, and stays readable while suspended', async () => {
    await trade()
    const other = await enter(service, (await openShop()).businessId, 'owner')
    expect((await other.get(base)).status).to.equal(404)
    expect((await other.get(`${base}/statements/file`)).status).to.equal(404)
    const live = await owner.get(`/portal/${shop.businessId}/live/money/entries`)
    expect(live.text).to.include('No movements here')
    await changeAsOperator(service, shop.businessId, { suspended: true })
    for (const path of ['', '/entries', '/refunds', `/statements/${today()}`, '/statements/file'])
      expect((await accountant.get(base + path)).status, path).to.equal(200)
  })
})
