import { createBusiness } from '../../src/businesses/change-business.ts'
import { hiddenFields, nextPath, operator, readable, unescaped } from '../admin/staff.ts'
import { enter, type PersonVisitor, password } from '../people/member.ts'
import { changeAsOperator, createIntent, relay, subscribe } from '../support/actions.ts'
import { pay, refund, simulate } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { asMerchant, intents, type Merchant, withService } from '../support/service.ts'

const minute = 60_000

describe("The portal's payments", () => {
  const service = withService()
  let shop: Merchant
  let owner: PersonVisitor
  let accountant: PersonVisitor
  let base: string

  /** Not approved, so that its owner needs no second factor. */
  async function openShop(): Promise<Merchant> {
    const { _id } = await createBusiness(service.deps, { name: 'Épicerie', liveApproved: false }, operator)
    return asMerchant(_id, await service.key(_id))
  }
  beforeEach(async () => {
    shop = await openShop()
    base = `/portal/${shop.businessId}/test/payments`
    ;[owner, accountant] = [
      await enter(service, shop.businessId, 'owner'),
      await enter(service, shop.businessId, 'accountant'),
    ]
  })
  const create = (input: object = {}) => createIntent(service, shop, { amount: 50_000, ...input })
  const createPaid = async (amount = 50_000) => {
    const created = await create({ amount })
    await pay(service, created.referenceNumber)
    return created.referenceNumber
  }
  const listed = (text: string) => [...text.matchAll(/href="[^"]*\/payments\/(PI-\w+)"/g)].map(([, id]) => id)
  const fromApi = async (path: string) => (await service.http.get(intents + path).set(shop.read())).body.data

  it('shows owners and accountants the list of the API, page by page, and cashiers nothing', async () => {
    const empty = await owner.get(base)
    expect(empty.text).to.include('There are no payments yet').and.include('Open the till')
    expect((await accountant.get(base)).text).to.not.include('Open the till')
    for (let count = 0; count < 21; count += 1) await create()
    for (const visitor of [owner, accountant]) {
      const first = await visitor.get(base)
      const { items } = await fromApi('')
      const references = items.map((each: { referenceNumber: string }) => each.referenceNumber)
      expect(listed(first.text)).to.deep.equal(references)
      expect(first.text).to.include('500.00\u00a0MRU').and.include('Found: 21')
      const second = await visitor.get(nextPath(first.text) ?? '')
      expect(listed(second.text)).to.have.length(1)
      expect(nextPath(second.text)).to.equal(undefined)
    }
    const cashier = await enter(service, shop.businessId, 'cashier')
    for (const path of [base, `${base}/PI-2222222222222222`, `${base}/export`])
      expect((await cashier.get(path)).status, path).to.equal(403)
    expect((await owner.get(`${base}?page=x`)).status).to.equal(400)
  })

  it('filters as the API does, and explains at the fields what it refuses', async () => {
    const paid = await createPaid(123_450)
    const { referenceNumber } = await create({ merchantReference: 'CMD-7' })
    const day = service.clock.now().toISOString().slice(0, 10)
    const found = async (query: string) => listed((await owner.get(`${base}?${query}`)).text)
    expect(await found('status=PAID')).to.deep.equal([paid])
    expect(await found(`paidFrom=${day}&paidTo=${day}`)).to.deep.equal([paid])
    expect(await found('minAmount=1%20234,50&maxAmount=1234.5')).to.deep.equal([paid])
    expect(await found('merchantReference=CMD-7')).to.deep.equal([referenceNumber])
    expect(await found(`refundedFrom=${day}`)).to.deep.equal([])
    const filtered = await owner.get(`${base}?paidFrom=${day}`)
    expect(filtered.text).to.include(`/export?from&#61;${day}"`)
    expect((await owner.get(`${base}?status=FAILED`)).text).to.include('No payment matches')
    const refusals: [query: string, field: string, message: string][] = [
      ['from=tomorrow', 'from', 'Enter a date'],
      [`paidFrom=${day}&paidTo=2020-01-01`, 'paidFrom', 'must not be after the end'],
      [`paidFrom=${day}&minAmount=5`, 'minAmount', 'Use only one of these'],
      [`refundedFrom=${day}&merchantReference=a`, 'refundedFrom', 'Use only one of these'],
      ['minAmount=9&maxAmount=8', 'minAmount', 'must not exceed'],
      ['minAmount=1,500', 'minAmount', 'can be read in two ways'],
      ['maxAmount=x', 'maxAmount', 'Enter an amount'],
      ['status=OLD', 'status', 'Choose from the list'],
      ['from=2026-01-01&from=2026-01-02', 'from', 'Enter a date'],
    ]
    for (const [query, field, message] of refusals) {
      const { status, text } = await owner.get(`${base}?${query}`)
      expect(status, query).to.equal(400)
      expect(text).to.match(new RegExp(`id="${field}-fault">[^<]*${message}`))
      expect(text).to.include(`<a href="#${field}">`)
    }
    const french = await owner.get(`${base}?from=x&lang=fr`)
    expect(unescaped(french.text)).to.include('Saisissez une date')
  })

  it('finds a payment by what the merchant has of it', async () => {
    const intent = await create({ merchantReference: 'Commande 12', amount: 77_700 })
    const other = await createIntent(service, await openShop(), {
      amount: 77_700,
      merchantReference: 'Commande 12',
    })
    const search = (q: string) => owner.get(`${base}?${new URLSearchParams({ q }).toString()}`)
    const { referenceNumber, shortCode, payUrl, code } = intent
    for (const q of [
      referenceNumber,
      referenceNumber.toLowerCase(),
      shortCode,
      payUrl,
      `${code.slice(0, 3)} ${code.slice(3)}`,
      'Commande 12',
      '777 MRU',
    ])
      expect((await search(q)).location, q).to.equal(`${base}/${referenceNumber}`)
    for (const q of [other.referenceNumber, other.shortCode, other.payUrl, 'x'.repeat(200), '<b>'])
      expect((await search(q)).text, q).to.include('Nothing found')
    expect((await search('<b>')).text).to.not.include('<b>')
    await simulate(service, shop, referenceNumber)
    await create({ amount: 77_700 })
    expect(listed((await search('777')).text)).to.have.length(2)
    for (let count = 0; count < 19; count += 1) await create({ amount: 77_700 })
    expect(unescaped((await search('777')).text)).to.include('?minAmount=777&maxAmount=777')
  })

  it('tells the story of one payment, and shows deliveries only to owners', async () => {
    await subscribe(service, shop, 'https://shop.example/hook', ['payment.confirmed'])
    const { referenceNumber } = await create({ label: '<i>Riz</i>', metadata: { cart: '81' } })
    await pay(service, referenceNumber)
    await refund(service, shop, referenceNumber, 12_000)
    await relay(service, shop)
    const page = await owner.get(`${base}/${referenceNumber}`)
    const text = readable(page.text)
    for (const part of ['Refunded in part', 'cart: 81', '22 ** ** 01', 'Program (API)', 'Your fee'])
      expect(text).to.include(part)
    expect(text).to.match(/Created .*Paid: 500\.00\sMRU, from 22 \*\* \*\* 01 .*Refunded: 120\.00\sMRU/)
    expect(page.text).to.include('shop.example/hook')
    expect(page.text).to.not.include('<i>Riz')
    const ofAccountant = await accountant.get(`${base}/${referenceNumber}`)
    expect(ofAccountant.text).to.not.include('shop.example').and.not.include('/refund"')
    const arabic = await owner.get(`${base}/${referenceNumber}?lang=ar`)
    expect(arabic.text).to.include('dir="rtl"').and.include('مستردّة جزئيًا')
  })

  it("hides other businesses' and the other environment's payments", async () => {
    const { referenceNumber } = await create()
    const other = await createIntent(service, await openShop())
    const live = `/portal/${shop.businessId}/live/payments`
    for (const path of [
      `${base}/${other.referenceNumber}`,
      `${base}/${other.referenceNumber}/refund`,
      `${base}/PI-x`,
      `${live}/${referenceNumber}`,
    ])
      expect((await owner.get(path)).status, path).to.equal(404)
    const cancelled = await owner.act(`${base}/${other.referenceNumber}`, { form: 'x' })
    expect(cancelled.status).to.equal(404)
    expect((await owner.act(`${live}/${referenceNumber}`, { form: 'x' })).status).to.equal(403)
    expect(listed((await owner.get(live)).text)).to.deep.equal([])
    expect((await fromApi(`/${referenceNumber}`)).status).to.equal('PENDING')
  })

  it('shows the live payments of an approved business only in live', async () => {
    const live = await service.merchant({ mode: 'live' })
    const created = await createIntent(service, live, { amount: 40_000 })
    await enter(service, live.businessId, 'owner')
    const reader = await enter(service, live.businessId, 'accountant')
    const pathOf = (mode: string) => `/portal/${live.businessId}/${mode}/payments`
    const page = await reader.get(pathOf('live'))
    expect(listed(page.text)).to.deep.equal([created.referenceNumber])
    expect(page.text).to.include('Live: real money')
    expect(listed((await reader.get(pathOf('test'))).text)).to.deep.equal([])
    expect((await reader.get(`${pathOf('live')}?q=${created.code}`)).location).to.include(
      created.referenceNumber,
    )
    expect((await reader.get(`${pathOf('test')}?q=${created.code}`)).text).to.include('Nothing found')
  })

  it('counts a page as one request, whatever it reads', async () => {
    const { referenceNumber } = await create()
    await changeAsOperator(service, shop.businessId, { limits: { perSecond: 1 } })
    service.clock.advance(minute)
    service.clock.freeze(service.clock.now())
    const [first, second] = [await owner.get(`${base}/${referenceNumber}`), await owner.get(base)]
    service.clock.freeze(null)
    await changeAsOperator(service, shop.businessId, { limits: { perSecond: null } })
    expect([first.status, second.status]).to.deep.equal([200, 429])
  })

  it('lets an owner cancel a pending payment once', async () => {
    const { referenceNumber } = await create()
    const path = `${base}/${referenceNumber}`
    const form = hiddenFields((await owner.get(path)).text)
    expect((await accountant.get(path)).text).to.not.include('Cancel this payment')
    expect((await accountant.act(path, form)).status).to.equal(403)
    expect((await owner.post(path, { ...form, csrf: 'x' })).status).to.equal(403)
    for (const _ of [1, 2]) expect((await owner.act(path, form)).location).to.equal(path)
    expect((await fromApi(`/${referenceNumber}`)).cancellationReason).to.equal('requested_by_merchant')
    const again = await owner.act(path, { form: 'another' })
    expect([again.status, again.text.includes('Only a payment that has not been paid')]).to.deep.equal([
      400,
      true,
    ])
    expect((await owner.get(path)).text).to.not.include('Cancel this payment')
  })

  describe('A refund', () => {
    let id: string
    let path: string
    beforeEach(async () => {
      id = await createPaid()
      path = `${base}/${id}/refund`
    })
    const openForm = async () => hiddenFields((await owner.get(path)).text)
    const refunds = async () =>
      (await fromApi(`/${id}`)).refunds.map(({ amount }: { amount: number }) => amount)

    it('returns a part or the rest, with a reason', async () => {
      const page = await owner.get(path)
      expect(page.text).to.include('value="500.00"').and.include('500.00\u00a0MRU')
      const part = await owner.act(path, { ...hiddenFields(page.text), amount: '120,5', reason: ' Rendu ' })
      expect(part.location).to.match(new RegExp(`^${base}/${id}\\?refund=RF-`))
      expect(readable((await owner.get(part.location ?? '')).text)).to.match(/120\.50\sMRU has been refunded/)
      expect((await fromApi(`/${id}`)).refunds[0]).to.include({ amount: 12_050, reason: 'Rendu' })
      const rest = await owner.get(path)
      expect(rest.text).to.include('value="379.50"')
      await owner.act(path, { ...hiddenFields(rest.text), amount: '379.50', reason: 'Rendu' })
      expect(await refunds()).to.deep.equal([12_050, 37_950])
      const act = 'refund.requested' as const
      const lines = await service.deps.AuditEvent.find({ act, subject: id }).sort({ _id: 1 }).lean()
      expect(
        lines.map(({ actor, after, sandbox }) => [actor.name, after?.amount, after?.reason, sandbox]),
      ).to.deep.equal([
        [owner.id, 12_050, 'Rendu', true],
        [owner.id, 37_950, 'Rendu', true],
      ])
      const activity = base.replace('/payments', '/activity')
      expect(readable((await owner.get(activity)).text)).to.include(`${owner.name} Requested a refund`)
      expect((await owner.get(path)).text)
        .to.include('nothing to refund')
        .and.not.include('name="amount"')
      expect((await owner.get(`${base}/${id}`)).text).to.not.include(`${path}"`)
    })

    it('refuses too much, an unclear amount and a missing reason, and keeps what was typed', async () => {
      const form = await openForm()
      const send = (fields: object) => owner.act(path, { ...form, amount: '1', reason: 'x', ...fields })
      const much = await send({ amount: '500.01', reason: 'Deux <b>' })
      expect(much.status).to.equal(400)
      expect(much.text).to.include('must be between').and.include('value="500.01"')
      expect(much.text).to.not.include('Deux <b>')
      expect((await send({ amount: '1,500' })).text).to.include('two ways')
      expect((await send({ reason: ' ' })).text).to.include('Enter a reason')
      expect((await send({ reason: 'x'.repeat(201) })).text).to.include('at most 200 ordinary characters')
      expect((await send({ refundable: '9999999', amount: '900' })).text).to.include('has changed')
      for (const refundable of ['', '-1', '1e3', '0'])
        expect((await send({ refundable })).status).to.equal(400)
      expect(await refunds()).to.deep.equal([])
    })

    it('happens once if the same form is sent twice, or two forms at once', async () => {
      const form = { ...(await openForm()), amount: '500', reason: 'Rendu' }
      const twins = await Promise.all([owner.act(path, form), owner.act(path, form)])
      const third = await owner.act(path, form)
      expect(new Set([...twins, third].map(({ location }) => location)).size).to.equal(1)
      expect(await refunds()).to.deep.equal([50_000])
      id = await createPaid()
      path = `${base}/${id}/refund`
      const [one, two] = [await openForm(), await openForm()]
      const both = await Promise.all(
        [one, two].map((each) => owner.act(path, { ...each, amount: '200', reason: 'Rendu' })),
      )
      expect(both.map(({ status }) => status)).to.have.members([303, 400])
      expect(both.find(({ status }) => status === 400)?.text).to.include('has changed')
      expect(await refunds()).to.deep.equal([20_000])
    })

    it('tells when the wallet refuses, and offers a new form', async () => {
      id = await createPaid(99_904)
      path = `${base}/${id}/refund`
      const failed = await owner.act(path, { ...(await openForm()), amount: '999.04', reason: 'Rendu' })
      expect([failed.status, failed.text.includes('did not carry out')]).to.deep.equal([402, true])
      const again = await owner.act(path, { ...hiddenFields(failed.text), amount: '5', reason: 'Rendu' })
      expect(again.status).to.equal(402)
      expect(await refunds()).to.deep.equal([])
    })

    it('shows that the outcome is unknown, until the same form returns it', async () => {
      const { wallets } = service.deps
      const wallet = scriptedWallet(service)
      try {
        const fields = { ...(await openForm()), amount: '100', reason: 'Rendu' }
        const sent = await owner.act(path, fields)
        expect([sent.status, sent.text.includes('We do not know yet')]).to.deep.equal([503, true])
        const page = await owner.get(`${base}/${id}?refund=${(await fromApi(`/${id}`)).refunds[0].id}`)
        expect(page.text).to.include('has not confirmed the refund').and.include('Not confirmed yet')
        wallet.setStatus({ outcome: 'done' })
        service.clock.advance(minute)
        expect(sent.text.match(/readonly/g)).to.have.length(2)
        const again = await owner.act(path, { ...fields, ...hiddenFields(sent.text) })
        expect(again.location).to.include('?refund=RF-')
        expect(wallet.orders).to.have.length(1)
        const line = { act: 'refund.requested' as const, subject: id }
        expect(await service.deps.AuditEvent.countDocuments(line)).to.equal(1)
        expect(readable((await owner.get(again.location ?? '')).text)).to.match(
          /100\.00\sMRU has been refunded/,
        )
      } finally {
        service.deps.wallets = wallets
      }
    })

    it('also says that the outcome is unknown if MongoDB fails', async () => {
      const { batchers, mongo } = service.deps
      const { updateIntent } = batchers
      const form = { ...(await openForm()), amount: '100', reason: 'Rendu' }
      batchers.updateIntent = () => Promise.reject(new mongo.base.mongo.MongoNetworkError('lost'))
      const lost = await owner.act(path, form)
      batchers.updateIntent = updateIntent
      expect([lost.status, lost.text.includes('We do not know yet')]).to.deep.equal([503, true])
      const again = await owner.act(path, { ...form, ...hiddenFields(lost.text) })
      expect(again.location).to.include('?refund=RF-')
      expect(await refunds()).to.deep.equal([10_000])
    })

    it('asks who it is after ten minutes, and only owners', async () => {
      const form = await openForm()
      service.clock.advance(11 * minute)
      const to = `/portal/confirm?to=${encodeURIComponent(path)}`
      expect((await owner.get(path)).location).to.equal(to)
      expect((await owner.act(path, { ...form, amount: '5', reason: 'x' })).location).to.equal(to)
      const confirm = hiddenFields((await owner.get(to)).text)
      expect((await owner.post('/portal/confirm', { ...confirm, password })).location).to.equal(path)
      expect((await owner.get(path)).status).to.equal(200)
      expect((await accountant.get(path)).status).to.equal(403)
      expect((await accountant.act(path, form)).status).to.equal(403)
      expect(await refunds()).to.deep.equal([])
    })

    it('is refused while the business is suspended, which can still read and export', async () => {
      const form = await openForm()
      await relay(service, shop)
      await changeAsOperator(service, shop.businessId, { suspended: true })
      expect((await owner.act(path, { ...form, amount: '5', reason: 'x' })).status).to.equal(403)
      expect((await owner.get(path)).status).to.equal(403)
      const page = await owner.get(`${base}/${id}`)
      expect([page.status, page.text.includes(`${path}"`)]).to.deep.equal([200, false])
      const file = await accountant.get(`${base}/export?kind=payments&file=comma`)
      expect([file.status, file.text.includes(id)]).to.deep.equal([200, true])
    })
  })

  it('exports the bytes of the API', async () => {
    await createPaid()
    await relay(service, shop)
    const form = await accountant.get(`${base}/export?from=2026-01-01`)
    expect(form.text).to.include('value="2026-01-01"').and.include('Download')
    const cases = [
      ['kind=payments&file=semicolon&lang=fr', 'payments?format=csv&delimiter=semicolon&language=fr'],
      ['kind=entries&file=comma&from=2026-01-01', 'entries?format=csv&delimiter=comma&from=2026-01-01'],
      ['kind=refunds&file=jsonl', 'refunds?format=jsonl'],
    ]
    for (const [own, api] of cases) {
      const cookie = { Cookie: accountant.cookie, 'Accept-Language': 'en' }
      const file = await service.http.get(`${base}/export?${own}`).set(cookie).buffer(true)
      const same = await service.http.get(`/api/v1/dev/exports/${api}`).set(shop.read()).buffer(true)
      expect([file.status, same.status]).to.deep.equal([200, 200])
      expect([file.text, file.body], own).to.deep.equal([same.text, same.body])
      for (const name of ['content-disposition', 'content-type'])
        expect(file.headers[name]).to.equal(same.headers[name])
    }
    const wrong = await accountant.get(`${base}/export?kind=payments&file=comma&from=x`)
    expect([wrong.status, wrong.text.includes('from-fault')]).to.deep.equal([400, true])
  })
})
