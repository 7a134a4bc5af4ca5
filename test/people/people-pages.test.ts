import { expect } from 'chai'
import { createSignInChecks } from '../../src/accounts/sign-in-limit.ts'
import { createBusiness } from '../../src/businesses/change-business.ts'
import { resetPerson, setPersonDisabled } from '../../src/people/change-people.ts'
import { invitePerson } from '../../src/people/invite.ts'
import type { PersonRole } from '../../src/people/names.ts'
import { personSignInLimits } from '../../src/people/person.ts'
import { staffSignInLimits } from '../../src/staff/account.ts'
import { addFactor, hiddenFields, operator, signedIn } from '../admin/staff.ts'
import { withService } from '../support/service.ts'
import { enter, newName, password, tokenOf, visitAsPerson } from './member.ts'

const minute = 60_000

describe('The pages of people', () => {
  const service = withService()
  const newBusiness = async (liveApproved = false) =>
    (await createBusiness(service.deps, { name: 'Épicerie', liveApproved }, operator))._id
  const invite = async (businessId: string, role: PersonRole, name: string) => {
    const { link } = await invitePerson(service.deps, { businessId, role, name }, operator)
    return { path: new URL(link).pathname, token: tokenOf(link) }
  }

  it('lets a new person join with a password, and an existing one when signed in', async () => {
    const [first, second] = [await newBusiness(), await newBusiness()]
    const name = newName()
    const link = await invite(first, 'owner', name)
    const person = visitAsPerson(service)
    const page = await person.get(link.path)
    expect(page.text).to.include('Épicerie').and.to.include(name)
    expect(page.headers.get('referrer-policy')).to.equal('strict-origin')
    const fields = { ...hiddenFields(page.text), password, again: password }
    const weak = await person.post('/portal/invitation', { ...fields, password: 'short', again: 'short' })
    expect([weak.status, weak.text.includes('at least 12 characters')]).to.deep.equal([400, true])
    expect(await person.post('/portal/invitation', fields)).to.include({ status: 303, location: '/portal' })
    expect((await person.get('/portal')).location).to.equal(`/portal/${first}/test`)
    expect((await visitAsPerson(service).post('/portal/invitation', fields)).status).to.equal(404)

    const next = await invite(second, 'owner', name)
    expect((await visitAsPerson(service).get(next.path)).location).to.include('/portal/sign-in?to=')
    const join = await person.get(next.path)
    const forged = { ...hiddenFields(join.text), csrf: 'x' }
    expect((await person.post('/portal/invitation', forged)).status).to.equal(403)
    expect((await person.act('/portal/invitation', { token: next.token })).location).to.equal(
      '/portal/sign-in',
    )
    expect((await person.get('/portal')).location).to.equal('/portal/sign-in?to=%2Fportal')
    await person.post('/portal/sign-in', { name, password })
    const choice = await person.get('/portal')
    for (const id of [first, second]) expect(choice.text).to.include(`/portal/${id}/test`)
  })

  it('refuses an invitation to somebody else', async () => {
    const businessId = await newBusiness()
    const owner = await enter(service, businessId, 'owner')
    const { path } = await invite(businessId, 'cashier', newName())
    const page = await owner.get(path)
    expect([page.status, page.text.includes('somebody else')]).to.deep.equal([409, true])
  })

  it('asks again who it is after ten minutes, and gives a new session', async () => {
    const owner = await enter(service, await newBusiness(), 'owner')
    const before = owner.cookie
    const to = '/portal/account'
    const confirm = await owner.get(`/portal/confirm?to=${encodeURIComponent(to)}`)
    const fields = { ...hiddenFields(confirm.text), password }
    expect((await owner.post('/portal/confirm', { ...fields, password: 'wrong' })).status).to.equal(403)
    expect((await owner.post('/portal/confirm', { ...fields, to: 'https://x.example' })).location).to.equal(
      '/portal',
    )
    expect(owner.cookie).to.not.equal(before)
    const { code } = await addFactor(service, owner)
    service.clock.advance(minute)
    const byCode = await owner.get(`/portal/confirm?to=${encodeURIComponent(to)}`)
    expect(byCode.text).to.include('name="code"').and.not.include('type="password"')
    const entered = { ...hiddenFields(byCode.text), code: code() }
    expect((await owner.post('/portal/confirm', entered)).location).to.equal(to)
    expect((await owner.post('/portal/confirm', entered)).status).to.equal(403)
  })

  it("never opens staff's pages with a person's session, or the reverse", async () => {
    const owner = await enter(service, await newBusiness(), 'owner')
    const staff = await signedIn(service, 'admin')
    const asStaff = { Cookie: owner.cookie.replace('__Host-person', '__Host-staff') }
    const asPerson = { Cookie: staff.cookie.replace('__Host-staff', '__Host-person') }
    for (const headers of [asStaff, { Cookie: owner.cookie }])
      for (const path of ['/admin', '/admin/people', '/admin/account', '/admin/queues'])
        expect((await visitAsPerson(service).get(path, headers)).location).to.include('/admin/sign-in')
    for (const headers of [asPerson, { Cookie: staff.cookie }])
      for (const path of ['/portal', '/till', '/portal/account', `/portal/${owner.businessId}/test`])
        expect((await visitAsPerson(service).get(path, headers)).location).to.include('/portal/sign-in')
  })

  it('shows an owner whom staff let in to the other owners, until one confirms', async () => {
    const businessId = await newBusiness()
    const [owner, other] = [
      await enter(service, businessId, 'owner'),
      await enter(service, businessId, 'owner'),
    ]
    const base = `/till/${businessId}/test`
    const confirm = (id: string) => owner.act(`${base}/owners/${id}/seen`)
    expect((await confirm(other.id)).location).to.equal(base)
    expect((await owner.get(`${base}/day`)).text).to.not.include(`/owners/${other.id}/seen`)
    await setPersonDisabled(service.deps, other.id, true, operator)
    await setPersonDisabled(service.deps, other.id, false, operator)
    expect((await owner.get(`${base}/day`)).text).to.include(`/owners/${other.id}/seen`)
    expect((await confirm(other.id)).location).to.equal(base)
    expect((await owner.get(`${base}/day`)).text).to.not.include(`/owners/${other.id}/seen`)
  })

  it('ends sessions with a new password, and speaks three languages', async () => {
    const businessId = await newBusiness()
    const owner = await enter(service, businessId, 'owner')
    const reset = await resetPerson(service.deps, owner.id, operator)
    expect((await owner.get('/portal/account')).location).to.include('/portal/sign-in')
    const { pathname } = new URL(reset?.link ?? '')
    const french = await visitAsPerson(service).get(`${pathname}?lang=fr`)
    expect(french.text).to.include('lang="fr"').and.to.include('Nouveau mot de passe')
    const arabic = await visitAsPerson(service).get(pathname, { 'Accept-Language': 'ar' })
    expect(arabic.text).to.include('dir="rtl"')
    const fields = { ...hiddenFields(arabic.text), password: 'tagant assaba 91 trarza' }
    const set = await visitAsPerson(service).post('/portal/set-password', {
      ...fields,
      again: fields.password,
    })
    expect(set.status).to.equal(200)
    expect((await visitAsPerson(service).post('/portal/set-password', fields)).status).to.equal(404)
  })

  it('asks who it is before it lets anybody add a second factor', async () => {
    const owner = await enter(service, await newBusiness(), 'owner')
    const path = '/portal/account/second-factor'
    expect((await owner.get(path)).status).to.equal(200)
    service.clock.advance(11 * 60_000)
    const to = `/portal/confirm?to=${encodeURIComponent(path)}`
    expect((await owner.get(path)).location).to.equal(to)
    expect((await owner.act(path)).location).to.equal(to)
    const confirm = hiddenFields((await owner.get(to)).text)
    expect((await owner.post('/portal/confirm', { ...confirm, password })).location).to.equal(path)
    expect((await owner.get(path)).status).to.equal(200)
  })

  it('counts 1 000 failures per address, apart from those of staff', async () => {
    const from = '198.51.100.77'
    const person = createSignInChecks(service.deps, personSignInLimits)
    const staff = createSignInChecks(service.deps, staffSignInLimits)
    const fail = (index: number) => person.countAttempt(`stranger-${index}@shop.example`, from)
    for (let first = 0; first < 1000; first += 50)
      for (const { isOpen } of await Promise.all(
        Array.from({ length: 50 }, (_, index) => fail(first + index)),
      ))
        expect(isOpen, String(first)).to.equal(true)
    expect(await fail(1000)).to.include({ isOpen: false })
    expect(await staff.countAttempt('stranger', from)).to.include({ isOpen: true })
    expect(await person.countAttempt('cashier@shop.example', '198.51.100.78')).to.include({ isOpen: true })
  })

  it("hides other businesses, and refuses others' forms and methods", async () => {
    const [own, other] = [await newBusiness(), await newBusiness()]
    const owner = await enter(service, own, 'owner')
    for (const path of [
      `/portal/${other}/test`,
      `/portal/${own}/toString`,
      `/till/${other}/live`,
      '/portal/x',
    ])
      expect((await owner.get(path)).status, path).to.equal(404)
    const form = { Origin: 'https://x.example' }
    expect((await owner.post('/portal/sign-out', {}, form)).status).to.equal(403)
    expect((await owner.post('/portal/sign-out', {})).status).to.equal(403)
    expect((await owner.act('/portal/sign-out')).location).to.equal('/portal/sign-in')
  })
})
