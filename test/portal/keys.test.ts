import { expect } from 'chai'
import { changeBusiness } from '../../src/businesses/change-business.ts'
import { addFactor, hiddenFields, operator, signedIn, trailOf } from '../admin/staff.ts'
import { enter, type PersonVisitor } from '../people/member.ts'
import { intents, withService } from '../support/service.ts'
import { newBusiness, readPayments, secretOn, submit } from './member-forms.ts'

describe('The portal page about keys', () => {
  const service = withService()
  const apiStatus = async (key: string) =>
    (await service.http.get(intents).set('Authorization', `Bearer ${key}`)).status
  const keysOf = ({ businessId }: PersonVisitor) => service.deps.ApiKey.find({ businessId }).lean()
  const open = async (liveApproved = false) => {
    const owner = await enter(service, await newBusiness(service, liveApproved), 'owner')
    return { owner, base: `/portal/${owner.businessId}/test` }
  }
  const formOf = async (owner: PersonVisitor, path: string) => ({
    ...hiddenFields((await owner.get(path)).text),
    ...readPayments,
  })

  it('makes a key that works, and shows it once, however often the form arrives', async () => {
    const { owner, base } = await open()
    const path = `${base}/keys/new/secret`
    const form = await formOf(owner, path)
    const pages = await Promise.all([1, 2, 3].map(() => owner.post(path, form)))
    expect(pages.map(({ status }) => status)).to.have.members([200, 409, 409])
    expect((await owner.post(path, { ...form, 'store.orders:read': 'on' })).status).to.equal(409)
    const [made] = pages.filter(({ status }) => status === 200)
    const key = made === undefined ? '' : secretOn(made)
    expect(key).to.match(/^sk_test_/)
    expect(await apiStatus(key)).to.equal(200)
    const stored = await keysOf(owner)
    expect(stored).to.have.lengthOf(1)
    expect(stored[0]?.scopes).to.deep.equal(['payments.intents:read'])
    const [line] = await trailOf(service, stored[0]?._id ?? '')
    expect(line).to.deep.include({ act: 'key.created', sandbox: true, reason: null })
    expect(line?.actor).to.include({ kind: 'person', name: owner.id })
    const list = await owner.get(`${base}/keys`)
    expect(list.text).to.include(key.slice(-4)).and.to.include('read payments').and.not.include(key)
    expect(made?.headers.get('cache-control')).to.include('no-store')
  })

  it('says what is wrong with scopes and addresses, and keeps what was typed', async () => {
    const { owner, base } = await open()
    const path = `${base}/keys/new/publishable`
    const none = { 'payments.intents:read': '', 'payments.intents:write': '' }
    const wrong = await submit(owner, path, { ...none, addresses: '192.0.2.0/24, 10.1' })
    expect(wrong.status).to.equal(400)
    expect(wrong.text)
      .to.include('Choose at least one')
      .and.include('10.1 is not an IP address')
      .and.include('value="192.0.2.0/24, 10.1"')
    const many = Array.from({ length: 51 }, (_, at) => `192.0.2.${at}`).join(' ')
    expect((await submit(owner, path, { ...readPayments, addresses: many })).text).to.include('at most 50')
    const secretOnly = { ...none, 'payments.refunds:write': 'on' }
    expect((await submit(owner, path, secretOnly)).status).to.equal(400)
    expect(await keysOf(owner)).to.have.lengthOf(0)
    const made = await submit(owner, path, { ...readPayments, addresses: '192.0.2.0/24 2001:db8::7' })
    expect(secretOn(made)).to.match(/^pk_test_/)
    expect((await keysOf(owner))[0]?.ipAllowlist).to.deep.equal(['192.0.2.0/24', '2001:db8::7'])
    expect(await apiStatus(secretOn(made))).to.equal(403)
  })

  it('rotates a key once per form, with an overlap, and revokes it for ever', async () => {
    const { owner, base } = await open()
    const { id, key } = await service.key(owner.businessId)
    const path = `${base}/keys/${id}/rotate`
    const form = await formOf(owner, path)
    expect((await owner.post(path, { ...form, overlap: '5' })).status).to.equal(400)
    const rotated = await owner.post(path, { ...form, overlap: '3600' })
    expect(await apiStatus(secretOn(rotated))).to.equal(200)
    expect(await apiStatus(key)).to.equal(200)
    expect((await owner.post(path, { ...form, overlap: '0' })).status).to.equal(409)
    expect((await owner.get(`${base}/keys`)).text).to.include('The old key works until')
    service.clock.advance(3_600_001)
    expect(await apiStatus(key)).to.equal(401)
    expect(await apiStatus(secretOn(rotated))).to.equal(200)
    const revoke = `${base}/keys/${id}/revoke`
    for (const _ of [1, 2]) expect((await submit(owner, revoke)).location).to.equal(`${base}/keys`)
    expect(await apiStatus(secretOn(rotated))).to.equal(403)
    expect((await submit(owner, path, { overlap: '0' })).location).to.equal(`${base}/keys`)
    expect((await trailOf(service, id)).map(({ act }) => act)).to.deep.equal([
      'key.created',
      'key.rotated',
      'key.revoked',
    ])
  })

  it("hides other businesses' keys and those of the other environment, and refuses forged forms", async () => {
    const { owner, base } = await open()
    const other = await service.key((await open()).owner.businessId)
    const live = await service.key(owner.businessId, { mode: 'live' })
    for (const { id } of [other, live, { id: 'x' }])
      for (const act of ['rotate', 'revoke']) {
        const path = `${base}/keys/${id}/${act}`
        expect((await owner.get(path)).status, path).to.equal(404)
        expect((await owner.act(path, { form: 'x', overlap: '0' })).location).to.equal(`${base}/keys`)
        expect(await trailOf(service, id)).to.have.lengthOf(id === 'x' ? 0 : 1)
      }
    const own = await service.key(owner.businessId)
    const forged = await owner.post(`${base}/keys/${own.id}/revoke`, { csrf: 'forged' })
    expect(forged.status).to.equal(403)
    expect((await owner.post(`${base}/keys/new/secret`, { form: 'x', ...readPayments })).status).to.equal(403)
    expect(await keysOf(owner)).to.have.lengthOf(2)
    expect(await apiStatus(own.key)).to.equal(200)
  })

  it('bounds how many keys owners can make', async () => {
    const { owner, base } = await open()
    const made = await service.key(owner.businessId)
    const key = await service.deps.ApiKey.findById(made.id).orFail().lean()
    const copies = Array.from({ length: 49 }, (_, at) => ({
      ...key,
      _id: `${made.id}${at}`,
      secrets: key.secrets.map((secret) => ({ ...secret, hash: `${secret.hash}${at}` })),
    }))
    await service.deps.ApiKey.collection.insertMany(copies as never)
    const refused = await submit(owner, `${base}/keys/new/secret`, readPayments)
    expect([refused.status, refused.text.includes('too many keys')]).to.deep.equal([400, true])
    await submit(owner, `${base}/keys/${made.id}/revoke`)
    expect((await submit(owner, `${base}/keys/new/secret`, readPayments)).status).to.equal(200)
    expect((await owner.get(`${base}/keys`)).text).to.include('Next page')
  })

  it('asks staff for live access, once, from both environments, until they approve', async () => {
    const { owner, base } = await open()
    const { businessId } = owner
    const live = base.replace('/test', '/live')
    const staff = await signedIn(service, 'admin')
    const requested = () => staff.read('/admin/businesses?state=requested')
    expect(await requested()).to.not.include(businessId)
    expect((await owner.get(`${live}/keys/new/secret`)).status).to.equal(403)
    for (const from of [live, base]) {
      const page = await owner.act(`${from}/keys/live-access`)
      expect(page.location).to.equal(`${from}/keys`)
      expect((await owner.get(`${from}/keys`)).text).to.include('Live access was requested on')
    }
    const line = { act: 'business.live-requested' as const, businessId }
    expect(await service.deps.AuditEvent.countDocuments(line)).to.equal(1)
    expect(await requested()).to.include(businessId)
    const seen = await staff.get(`/admin/businesses/${businessId}`)
    expect(seen.text).to.include('live access requested').and.include(`/admin/people/account/${owner.id}`)
    const approve = { act: 'business.approved', ...operator } as const
    await changeBusiness(service.deps, businessId, { liveApproved: true }, approve)
    expect(await requested()).to.not.include(businessId)
    expect((await owner.act(`${base}/keys/live-access`)).location).to.equal(
      '/portal/account/second-factor?required=yes',
    )
    await addFactor(service, owner)
    expect((await owner.act(`${base}/keys/live-access`)).status).to.equal(403)
  })

  it('makes live keys only for approved businesses, with a factor, proved within ten minutes', async () => {
    const { owner, base } = await open(true)
    const path = `${base.replace('/test', '/live')}/keys/new/secret`
    expect((await owner.get(path)).location).to.equal('/portal/account/second-factor?required=yes')
    await addFactor(service, owner)
    const form = await formOf(owner, path)
    const made = await owner.post(path, form)
    expect(secretOn(made)).to.match(/^sk_live_/)
    expect(await apiStatus(secretOn(made))).to.equal(200)
    service.clock.advance(600_000)
    for (const late of [await owner.get(path), await owner.post(path, form)])
      expect(late.location).to.equal(`/portal/confirm?to=${encodeURIComponent(path)}`)
    expect((await submit(owner, `${base}/keys/new/secret`, readPayments)).status).to.equal(200)
    const unapprove = { act: 'business.unapproved', ...operator } as const
    await changeBusiness(service.deps, owner.businessId, { liveApproved: false }, unapprove)
    expect(await apiStatus(secretOn(made))).to.equal(403)
    expect((await owner.get(path)).status).to.equal(403)
    expect((await owner.post(path, form)).status).to.equal(403)
    expect((await owner.get(`${base}/keys`)).text).to.include('Ask for live access')
  })
})
