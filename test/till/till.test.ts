import { dayMs, hourMs, startOfUtcDay, utcDayNumber } from '../../src/platform/time.ts'
import { unescaped } from '../admin/staff.ts'
import { open, pay as payOnPage, wallets } from '../checkout/customer.ts'
import { enter, visitAsPerson } from '../people/member.ts'
import { changeAsOperator, createIntent, requestIntent } from '../support/actions.ts'
import { pay, simulate, storedIntent } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { asMerchant, withService } from '../support/service.ts'
import { atTill, type Cashier, newBusiness, openTill, referenceIn } from './cashier.ts'

describe('A till', () => {
  const service = withService()
  let till: Cashier
  beforeEach(async () => void (till = await openTill(service, await newBusiness(service))))
  afterEach(() => service.clock.freeze(null))

  const openIntents = () =>
    service.deps.Intent.countDocuments({ businessId: till.visitor.businessId, status: 'PENDING' })
  const merchantOf = async (cashier: Cashier) =>
    asMerchant(cashier.visitor.businessId, await service.key(cashier.visitor.businessId))

  it('turns an amount into a code, a QR code and a link, and then into a receipt', async () => {
    const { path, intent } = await till.make('1250,50', '  Table 7 ')
    expect(intent).to.deep.include({ amount: 125_050, amountType: 'FIXED', label: 'Table 7', sandbox: true })
    expect(intent.till?.personId).to.equal(till.visitor.id)
    const page = await till.visitor.get(path)
    const says = unescaped(page.text)
    expect(says)
      .to.include('1,250.50\u00a0MRU')
      .and.include('12,505.00')
      .and.include(`${intent.code.slice(0, 3)} ${intent.code.slice(3)}`)
      .and.include('Table 7')
      .and.include('<svg')
      .and.include(`/p/${intent.shortCode}`)
      .and.include('<noscript><meta http-equiv="refresh" content="1"></noscript>')
      .and.include('Practice')
    expect(await till.state(path)).to.deep.include({ state: 'pending', isCodeActive: true })

    const customer = await open(service, `/p/${intent.shortCode}`)
    await payOnPage(customer, wallets.pays)
    expect(await till.state(path)).to.deep.include({ state: 'paid', isCodeActive: false })
    const receipt = await till.visitor.read(path)
    for (const part of ['Paid', 'Épicerie', 'Table 7', '1,250.50 MRU', intent.referenceNumber])
      expect(receipt).to.include(part)
    expect(receipt).to.include(till.visitor.name).and.include('not proof of payment')
    const { text } = await till.visitor.get(path)
    expect(text).to.include('class="receipt"').and.include('data-print').and.not.include('http-equiv')
  })

  it('makes one payment from a double tap, however it arrives', async () => {
    const fields = await till.openForm()
    const sent = { amount: '500', label: 'Thé' }
    const both = await Promise.all([till.send(fields, sent), till.send(fields, sent)])
    const later = await till.send(fields, { amount: ' 500.00 ', label: 'Thé ' })
    expect(new Set([...both, later]).size).to.equal(1)
    expect(await openIntents()).to.equal(1)
    await pay(service, referenceIn(later))
    expect(await till.send(fields, sent), 'after it was paid').to.equal(later)
    const other = await till.make('500', 'Thé')
    expect(other.path).to.not.equal(later)
  })

  it('replaces the earlier payment of a form whose amount or text was corrected', async () => {
    const fields = await till.openForm()
    const first = await till.send(fields, { amount: '100' })
    const second = await till.send(fields, { amount: '1000' })
    const third = await till.send(fields, { amount: '1000', label: 'Riz' })
    const statuses = await Promise.all([first, second, third].map((path) => till.statusAt(path)))
    expect(statuses).to.deep.equal(['CANCELLED', 'CANCELLED', 'PENDING'])
    expect(await till.send(fields, { amount: '100' }), 'a late repeat').to.equal(first)
    expect(await till.statusAt(third)).to.equal('PENDING')
    expect(await till.visitor.read(first))
      .to.include('Cancelled')
      .and.include('Nobody has been charged')
  })

  it('corrects the payment when somebody goes back to its form, which names it', async () => {
    const { form = '', once = '', ...fields } = await till.openForm()
    const address = `${till.base}?form=${form}`
    const first = await till.send({ ...fields, form, once }, { amount: '100', label: 'Riz' })
    const again = await till.openForm(address)
    expect(again).to.include({ form, amount: '100.00', label: 'Riz' })
    expect(again['once']).to.not.equal(once)
    expect(await till.visitor.read(address)).to.include('This payment exists already')
    expect((await till.visitor.get(first)).text).to.include(`href="${address}"`)
    expect(await till.send(again, {}), 'unchanged').to.equal(first)
    const second = await till.send(await till.openForm(address), { amount: '120' })
    const third = await till.send(await till.openForm(address), { amount: '100' })
    const statuses = await Promise.all([first, second, third].map((path) => till.statusAt(path)))
    expect(statuses, 'and back to the first amount').to.deep.equal(['CANCELLED', 'CANCELLED', 'PENDING'])
    await pay(service, referenceIn(third))
    const next = await till.openForm(address)
    expect(next).to.include({ amount: '' }).and.not.include({ form })
  })

  it('keeps an earlier payment of the form that was paid', async () => {
    const fields = await till.openForm()
    const first = await till.send(fields, { amount: '100' })
    await pay(service, referenceIn(first))
    const second = await till.send(fields, { amount: '200' })
    const statuses = await Promise.all([first, second].map((path) => till.statusAt(path)))
    expect(statuses).to.deep.equal(['PAID', 'PENDING'])
  })

  it('keeps the forms of people apart, and gives a form without a valid id its own', async () => {
    const other = await openTill(service, till.visitor.businessId)
    const fields = await till.openForm()
    const { csrf = '' } = await other.openForm()
    const path = await till.send(fields, { amount: '100' })
    const foreign = await other.send({ ...fields, csrf }, { amount: '200' })
    const forged = [await till.send({ ...fields, form: '' }, { amount: '1' })]
    forged.push(await till.send({ ...fields, form: 'x'.repeat(1_000) }, { amount: '1' }))
    for (const each of [path, foreign, ...forged]) expect(await till.statusAt(each)).to.equal('PENDING')
    expect(new Set(forged).size).to.equal(2)
  })

  it('leaves one payment open if different amounts arrive at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fields = await till.openForm()
      const amounts = ['100', '200', '300', '400']
      const paths = await Promise.all(amounts.map((amount) => till.send(fields, { amount })))
      const statuses = await Promise.all(paths.map((path) => till.statusAt(path)))
      expect(await openIntents(), statuses.join()).to.equal(round + 1)
    }
  })

  for (const isPaid of [false, true])
    it(`cancels the earlier payment when the form is repeated after a crash${isPaid ? ' and a payment' : ''}`, async () => {
      const fields = await till.openForm()
      const first = await till.send(fields, { amount: '100' })
      const { deps } = service
      const { updateIntent } = deps.batchers
      deps.batchers.updateIntent = () => Promise.reject(new Error('killed'))
      const broken = await till.visitor.post(till.base, { ...fields, amount: '200' })
      deps.batchers.updateIntent = updateIntent
      expect([broken.status, await openIntents()]).to.deep.equal([500, 2])
      const lost = await deps.Intent.findOne({ amount: 20_000, businessId: till.visitor.businessId }).orFail()
      if (isPaid) await pay(service, lost.referenceNumber)
      const second = await till.send(fields, { amount: '200' })
      expect(referenceIn(second)).to.equal(lost.referenceNumber)
      expect(await till.statusAt(first)).to.equal('CANCELLED')
      expect(await openIntents()).to.equal(isPaid ? 0 : 1)
    })

  it('shows the payment whose page never arrived, on top, when it is opened again', async () => {
    const paid = await till.make('10')
    await pay(service, paid.intent.referenceNumber)
    const lost = await till.send(await till.openForm(), { amount: '77' })
    const { text } = await till.formPage()
    expect(text.indexOf(lost)).to.be.greaterThan(0).and.lessThan(text.indexOf(paid.path))
    expect(text).to.include('77.00').and.include('Waiting for the customer')
  })

  it('stays usable while the list of payments is not', async () => {
    await till.make('10')
    const held = await service.deps.capacity.wait(till.visitor.businessId, { lists: 2 })
    const { status, text } = await till.formPage()
    held.free()
    expect([status, text.includes('name="amount"')]).to.deep.equal([200, true])
    expect(unescaped(text)).to.include('cannot be shown right now')
  })

  it('repeats the form with what was typed if the amount or text is not understood', async () => {
    const fields = await till.openForm()
    const cases = [
      [{ amount: '' }, 422, 'Enter an amount'],
      [{ amount: 'cent', label: 'Riz "25" kg' }, 422, 'Enter an amount'],
      [{ amount: '1,500' }, 422, 'two ways'],
      [{ amount: '0' }, 422, 'between'],
      [{ amount: '999999999999' }, 422, 'between'],
      [{ amount: '5', label: 'x'.repeat(201) }, 400, 'at most 200'],
      [{ amount: '5', label: 'a\u0000b' }, 400, 'at most 200'],
    ] as const
    for (const [typed, expected, message] of cases) {
      const { status, text } = await till.visitor.post(till.base, { ...fields, label: '', ...typed })
      const says = unescaped(text)
      expect([status, says.includes(message)], JSON.stringify(typed)).to.deep.equal([expected, true])
      expect(text).to.include(`value="${fields['form']}"`).and.include('aria-invalid')
      if (typed.amount === 'cent') expect(says).to.include('value="cent"').and.include('Riz "25" kg')
    }
    expect(await openIntents()).to.equal(0)
  })

  it('says what to do if the business may make no more payments', async () => {
    const businessId = till.visitor.businessId
    await changeAsOperator(service, businessId, { limits: { perSecond: 1 } })
    service.clock.freeze(service.clock.now())
    const fields = await till.openForm()
    const { status, text } = await till.visitor.post(till.base, { ...fields, amount: '5' })
    service.clock.freeze(null)
    expect([status, unescaped(text).includes('too many open payments')]).to.deep.equal([429, true])
  })

  it('says that the limit of the day is used up', async () => {
    const owner = till.visitor.businessId
    await service.deps.counters.spend({ name: 'sandboxCreates', owner, limit: 1000 }, 1000)
    await changeAsOperator(service, owner, { limits: { sandboxIntentsPerDay: 1 } })
    const { status, text } = await till.visitor.post(till.base, { ...(await till.openForm()), amount: '5' })
    expect([status, unescaped(text).includes('The daily limit for new payments')]).to.deep.equal([429, true])
  })

  it('warns if a customer is paying the amount that was corrected', async () => {
    const { deps } = service
    const own = deps.wallets
    const wallet = scriptedWallet(service)
    const fields = await till.openForm()
    const first = await till.send(fields, { amount: '100' })
    wallet.setOutcome(() => ({ outcome: 'unknown', why: 'timeout' }))
    await pay(service, referenceIn(first))
    expect(await till.state(first)).to.include({ state: 'waiting' })
    const waiting = await till.visitor.get(first)
    expect(unescaped(waiting.text)).to.include('The customer is paying').and.not.include('/cancel"')
    expect((await till.cancel(first)).location).to.equal(first)
    expect(await till.statusAt(first)).to.equal('PENDING')
    const second = await till.send(fields, { amount: '200' })
    const { text } = await till.visitor.get(second)
    deps.wallets = own
    expect(second).to.include(`?earlier=${referenceIn(first)}`)
    expect(text).to.include(`href="${first}"`).and.include('role="alert"')
    expect(await openIntents()).to.equal(2)
  })

  it('cancels a payment once, and shows how it ended', async () => {
    const { path } = await till.make('100')
    for (const _ of [1, 2]) expect((await till.cancel(path)).location).to.equal(path)
    expect(await till.statusAt(path)).to.equal('CANCELLED')
    expect(await till.state(path)).to.deep.include({ state: 'cancelled', isCodeActive: false })
    expect((await till.visitor.post(`${path}/cancel`, {})).status).to.equal(403)

    const late = await till.make('100')
    service.clock.freeze(new Date(late.intent.expiresAt.getTime() + 1))
    await till.signInAgain()
    expect(await till.state(late.path)).to.include({ state: 'expired' })
    expect(await till.visitor.read(late.path)).to.include('Not paid in time')
  })

  it('shows a refund on the receipt', async () => {
    const { path, intent } = await till.make('100')
    const merchant = await merchantOf(till)
    await simulate(service, merchant, intent.referenceNumber)
    const refund = (amount: number) =>
      service.http
        .post(`/api/v1/dev/intents/${intent.referenceNumber}/refund`)
        .set(merchant.write())
        .send({ amount })
        .expect(200)
    await refund(4_000)
    expect(await till.visitor.read(path))
      .to.include('Partly refunded')
      .and.include('40.00 MRU')
    await refund(6_000)
    expect(await till.visitor.read(path))
      .to.include('Refunded')
      .and.not.include('Partly')
  })

  it('offers the link when only the code is too old', async () => {
    const { path, intent } = await till.make('100')
    const codeExpiresAt = new Date(service.clock.now().getTime() - 1)
    await service.deps.Intent.updateOne({ _id: intent._id }, { codeExpiresAt })
    expect(await till.state(path)).to.include({ state: 'pending', isCodeActive: false })
    const says = unescaped((await till.visitor.get(path)).text)
    expect(says).to.include('This code has expired').and.include('<svg').and.not.include('class="code"')
  })

  describe('and who may use it', () => {
    it('shows neither payments of the API, nor of other environments or businesses', async () => {
      const merchant = await merchantOf(till)
      const { referenceNumber } = await createIntent(service, merchant)
      const own = await till.make('100')
      const other = await openTill(service, await newBusiness(service))
      const approved = await openTill(service, await newBusiness(service, true))
      const { intent } = await approved.make('100')
      const paths = [
        [till, `${till.base}/payments/${referenceNumber}`],
        [till, `${till.base}/payments/PI-2222222222222222`],
        [other, own.path],
        [other, `${other.base}/payments/${own.intent.referenceNumber}`],
        [approved, `${approved.base.replace('test', 'live')}/payments/${intent.referenceNumber}`],
      ] as const
      for (const [cashier, path] of paths) {
        const { csrf = '' } = await cashier.openForm()
        for (const each of [path, `${path}/state`])
          expect((await cashier.visitor.get(each)).status, each).to.equal(404)
        expect((await cashier.visitor.post(`${path}/cancel`, { csrf })).status).to.equal(404)
      }
      expect((await storedIntent(service, referenceNumber)).status).to.equal('PENDING')
      const forged = await other.visitor.act(till.base, { amount: '5' })
      expect([forged.status, await openIntents()]).to.deep.equal([404, 2])
    })

    it('lets a cashier cancel only their own payments, and an owner those of the till', async () => {
      const { businessId } = till.visitor
      const other = await openTill(service, businessId)
      const { path } = await till.make('100')
      expect((await other.visitor.get(path)).text).to.not.include('/cancel"')
      expect((await other.cancel(path)).status).to.equal(403)
      expect(await till.statusAt(path)).to.equal('PENDING')
      const owner = atTill(service, await enter(service, businessId, 'owner'))
      expect((await owner.cancel(path)).location).to.equal(path)
      expect(await till.statusAt(path)).to.equal('CANCELLED')
    })

    it('shows a cashier only what was made or paid today, and their own', async () => {
      const { businessId } = till.visitor
      const other = await openTill(service, businessId)
      const tomorrow = startOfUtcDay(utcDayNumber(service.clock.now()) + 1)
      service.clock.freeze(new Date(tomorrow.getTime() + hourMs))
      const { path } = await till.make('100')
      expect((await other.visitor.get(path)).status).to.equal(200)
      service.clock.advance(dayMs)
      const owner = atTill(service, await enter(service, businessId, 'owner'))
      for (const cashier of [other, till]) await cashier.signInAgain()
      const again = await Promise.all([other, till, owner].map(({ visitor }) => visitor.get(path)))
      expect(again.map(({ status }) => status)).to.deep.equal([403, 200, 200])
    })

    it('tells a polling script to load the page again once the owner needs a second factor', async () => {
      const { businessId } = till.visitor
      const owner = atTill(service, await enter(service, businessId, 'owner'))
      const { path } = await owner.make('100')
      await changeAsOperator(service, businessId, { liveApproved: true })
      const polled = await owner.visitor.get(`${path}/state`, { 'Sec-Fetch-Dest': 'empty' })
      const opened = await owner.visitor.get(path, { 'Sec-Fetch-Dest': 'document' })
      await changeAsOperator(service, businessId, { liveApproved: false })
      expect(polled.status).to.equal(403)
      expect(opened.location).to.equal('/portal/account/second-factor?required=yes')
    })

    it('refuses accountants, forged forms, and businesses that are closed or not approved', async () => {
      const { businessId } = till.visitor
      const accountant = await enter(service, businessId, 'accountant')
      expect((await accountant.get(till.base)).status).to.equal(403)
      expect((await accountant.act(till.base, { amount: '5' })).status).to.equal(403)
      const live = `/till/${businessId}/live`
      expect((await till.visitor.get(live)).text).to.include('no live access')
      expect((await till.visitor.act(live, { amount: '5' })).status).to.equal(403)
      expect((await till.visitor.post(till.base, { amount: '5' })).status).to.equal(403)
      const foreign = { Origin: 'https://x.example' }
      const fields = await till.openForm()
      expect((await till.visitor.post(till.base, { ...fields, amount: '5' }, foreign)).status).to.equal(403)
      expect((await visitAsPerson(service).get(till.base)).location).to.include('/portal/sign-in?to=')
      const { path } = await till.make('5')
      for (const change of [{ suspended: true }, { suspended: false, apiEnabled: false }]) {
        await changeAsOperator(service, businessId, change)
        const sent = await till.visitor.post(till.base, { ...fields, amount: '5' })
        expect([sent.status, sent.text.includes('Business closed')]).to.deep.equal([403, true])
        for (const each of [till.base, path, `${path}/state`, `${till.base}/day`])
          expect((await till.visitor.get(each)).status, each).to.equal(403)
      }
      expect(await openIntents()).to.equal(1)
    })

    it('never mixes practice and real money', async () => {
      const approved = await newBusiness(service, true)
      const cashier = await enter(service, approved, 'cashier')
      const live = atTill(service, cashier, 'live')
      const { path, intent } = await live.make('100')
      expect(intent.sandbox).to.equal(false)
      for (const { text } of [await live.formPage(), await cashier.get(path)])
        expect(text)
          .to.include('Live: real money')
          .and.not.match(/practice/i)
      const practice = atTill(service, cashier)
      const { text } = await practice.formPage()
      expect(text).to.include('class="practice"').and.include('Show a practice code')
      expect(text).to.not.include(path).and.not.include('Live: real money')
    })
  })

  it('is as the API and its events see it', async () => {
    const merchant = await merchantOf(till)
    const { intent } = await till.make('100', 'Thé')
    const read = await service.http.get(`/api/v1/dev/intents/${intent.referenceNumber}`).set(merchant.read())
    expect(read.body.data).to.include({ type: 'TILL', amount: 10_000, label: 'Thé', merchantReference: null })
    expect(JSON.stringify(read.body)).to.not.include(intent.till?.form ?? '')
    expect(intent.outbox.map(({ event }) => event)).to.deep.equal(['payment.created'])
    const ofApi = await requestIntent(service, merchant)
    expect((await storedIntent(service, ofApi.referenceNumber)).till).to.equal(undefined)
  })
})
