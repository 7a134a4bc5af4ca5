import { expect } from 'chai'
import { addAuditLine } from '../../src/audit/audited.ts'
import { changeBusiness } from '../../src/businesses/change-business.ts'
import { nextPath, operator, signedIn } from '../admin/staff.ts'
import { enter } from '../people/member.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { newBusiness, readPayments, submit } from './member-forms.ts'

const limited = {
  AUDIT_LINES_PER_DAY: '10',
  SANDBOX_INTENTS_PER_DAY: '1000',
  SANDBOX_BYTES_PER_DAY: '5000000',
}

describe('The portal pages about limits and what happened', () => {
  const { service, merchant } = withServiceAndMerchant(limited)

  it('show what is left of each limit, warn from 80 %, and refuse acts beyond one', async () => {
    const businessId = await newBusiness(service)
    const { counters } = service.deps
    const owner = await enter(service, businessId, 'owner')
    const accountant = await enter(service, businessId, 'accountant')
    const base = `/portal/${businessId}/test`
    await counters.spend({ name: 'sandboxCreates', owner: businessId, limit: 1000 }, 799)
    await changeBusiness(
      service.deps,
      businessId,
      { limits: { perSecond: 7 } },
      { ...operator, act: 'business.limited' },
    )
    const created = 'Payments, orders and products created today'
    const before = await accountant.read(`${base}/limits`)
    expect(before).to.include(`${created} 799 of 1,000 201`).and.include('Storage used today 0 MB of 5 MB')
    expect(before).to.not.include('Nearly used up')
    expect(before).to.include('Commission that you pay 2 %').and.include('per key 7')
    await counters.spend({ name: 'sandboxCreates', owner: businessId, limit: 1000 }, 1)
    expect(await owner.read(`${base}/limits`)).to.match(/created today 8\d\d of 1,000 \d+ Nearly used up/)
    expect((await owner.get(`${base}/limits`)).text)
      .to.include('<meter')
      .and.include('high="800"')
    const live = await owner.read(`/portal/${businessId}/live/limits`)
    expect(live).to.include('Payment codes in use now 0 of').and.not.include(created)

    for (let count = 0; count < 10; count += 1)
      expect((await submit(owner, `${base}/keys/new/secret`, readPayments)).status).to.equal(200)
    const refused = await submit(owner, `${base}/keys/new/secret`, readPayments)
    expect([refused.status, refused.text.includes('daily limit')]).to.deep.equal([400, true])
    expect(await owner.read(`${base}/limits`)).to.include('10 of 10 0 Used up')
    expect(await service.deps.ApiKey.countDocuments({ businessId })).to.equal(10)
  })

  it('names people and keys, but of staff only that it was the operator', async () => {
    const { businessId } = merchant
    const admin = await signedIn(service, 'admin')
    const reason = 'ticket 4711 of Aminetou'
    await admin.act(`/admin/businesses/${businessId}/limits`, { ...unset, perSecond: '90', reason })
    service.allowHost('shop.example')
    const endpoint = { url: 'https://shop.example/hook', events: ['payment.confirmed'] }
    const made = await service.http
      .post('/api/v1/dev/webhooks/endpoints')
      .set(merchant.write())
      .send(endpoint)
    expect(made.status).to.equal(201)
    await addAuditLine(service.deps, operator, { act: 'payment.searched-by-phone', subject: 'x', businessId })
    const business = await changeBusiness(
      service.deps,
      businessId,
      { liveApproved: false },
      {
        ...operator,
        act: 'business.unapproved',
      },
    )
    expect(business?.liveApproved).to.equal(false)
    const owner = await enter(service, businessId, 'owner')
    const base = `/portal/${businessId}/test`
    await submit(owner, `${base}/keys/new/secret`, readPayments)
    const shown = await owner.get(`${base}/activity`)
    const text = await owner.read(`${base}/activity`)
    expect(text).to.match(/the operator Changed limits/)
    expect(text).to.match(/API key sk_test_….{4} Created a webhook endpoint sandbox/)
    expect(text).to.include(`${owner.name} Created an API key sandbox sk_test_`)
    expect(text).to.include(`${owner.name} Joined the business ${owner.name} · owner`)
    for (const hidden of [admin.name, 'Aminetou', 'tester', '127.0.0.1', 'searched', 'shop.example'])
      expect(shown.text, hidden).to.not.include(hidden)
    const french = await owner.get(`${base}/activity?lang=fr`)
    expect(french.text).to.include('l’opérateur').and.include('Clé d’API créée')
  })

  it('pages through acts, and shows only those of the business', async () => {
    const [businessId, other] = [await newBusiness(service), await newBusiness(service)]
    const owner = await enter(service, businessId, 'owner')
    for (let count = 0; count < 35; count += 1)
      await addAuditLine(service.deps, operator, { act: 'shop.created', subject: `s${count}`, businessId })
    await addAuditLine(service.deps, operator, {
      act: 'shop.created',
      subject: 'other-shop',
      businessId: other,
    })
    const first = await owner.get(`/portal/${businessId}/live/activity`)
    const second = await owner.get(nextPath(first.text) ?? '')
    const subjects = [first, second].flatMap(({ text }) =>
      Array.from(text.matchAll(/<code><bdi dir="ltr">(s\d+)</g), ([, id]) => id),
    )
    expect(subjects).to.have.lengthOf(35)
    expect(new Set(subjects).size).to.equal(35)
    expect(first.text + second.text).to.not.include('other-shop')
    expect(nextPath(second.text)).to.equal(undefined)
    expect((await owner.get(`/portal/${businessId}/live/activity?before=x`)).status).to.equal(400)
  })
})

const unset = {
  liveCodes: '',
  sandboxIntentsPerDay: '',
  liveDocumentsPerDay: '',
  liveBytesPerDay: '',
  sandboxBytesPerDay: '',
}
