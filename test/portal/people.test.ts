import { expect } from 'chai'
import { changePersonRole } from '../../src/people/change-people.ts'
import { hiddenFields, operator, signedIn, trailOf } from '../admin/staff.ts'
import { addPerson, enter, joinBy, newName } from '../people/member.ts'
import { withService } from '../support/service.ts'
import { newBusiness, secretOn, submit } from './member-forms.ts'

describe('The portal page about people', () => {
  const service = withService()
  const open = async () => {
    const owner = await enter(service, await newBusiness(service), 'owner')
    return { owner, base: `/portal/${owner.businessId}/test` }
  }

  it('invites a person by a link that is shown once, however often the form arrives', async () => {
    const { owner, base } = await open()
    const path = `${base}/people/invite`
    const name = newName()
    const typed = { name: ` ${name.toUpperCase()} `, role: 'accountant' }
    const form = { ...hiddenFields((await owner.get(path)).text), ...typed }
    const pages = await Promise.all([1, 2].map(() => owner.post(path, form)))
    expect(pages.map(({ status }) => status)).to.have.members([200, 400])
    const [made] = pages.filter(({ status }) => status === 200)
    const link = made === undefined ? '' : secretOn(made)
    expect(link).to.match(/\/portal\/invitation\/[\w-]{43}$/)
    expect(made?.text).to.include(`data-share="${link}"`)
    const list = await owner.get(`${base}/people`)
    expect(list.text).to.include('Open invitations').and.include(name).and.not.include(link)
    expect((await joinBy(service, link)).outcome).to.equal('joined')
    const joined = await owner.read(`${base}/people`)
    expect(joined).to.include(`${name} accountant no can sign in`).and.not.include('Open invitations')
    expect((await submit(owner, path, typed)).text).to.include('already has a role')
  })

  it('says what is wrong with a name or a role', async () => {
    const { owner, base } = await open()
    const path = `${base}/people/invite`
    const badName = await submit(owner, path, { name: 'fatou <', role: 'cashier' })
    expect([badName.status, badName.text.includes('value="fatou &#60;"')]).to.deep.equal([400, true])
    expect((await submit(owner, path, { name: newName(), role: 'admin' })).text).to.include('Choose a role')
    expect(await service.deps.Invitation.countDocuments({ invitedBy: owner.id })).to.equal(0)
  })

  it('lets an owner and staff cancel an invitation', async () => {
    const { owner, base } = await open()
    const { businessId } = owner
    const admin = await signedIn(service, 'admin')
    const support = await signedIn(service, 'support')
    const cancelAsStaff = async (id: string) => {
      const path = `/admin/people/invitation/${id}/cancel`
      expect(await admin.read(`/admin/people?business=${businessId}`)).to.include('Cancel…')
      expect(await support.read(`/admin/people?business=${businessId}`)).to.not.include('Cancel…')
      expect((await support.act(path, { reason: 'x' })).status).to.equal(403)
      const to = `/admin/people?business=${businessId}`
      expect((await admin.act(path, { reason: 'ticket 3' })).location).to.equal(to)
      expect((await admin.get(path)).status).to.equal(404)
    }
    const cancelAsOwner = async (id: string) => {
      const path = `${base}/people/invitations/${id}/cancel`
      expect((await submit(owner, path)).location).to.equal(`${base}/people`)
      expect((await owner.act(path)).location).to.equal(`${base}/people`)
      expect((await owner.get(path)).status).to.equal(404)
    }
    for (const cancel of [cancelAsOwner, cancelAsStaff]) {
      const made = await submit(owner, `${base}/people/invite`, { name: newName(), role: 'cashier' })
      const { _id } = await service.deps.Invitation.findOne({ invitedBy: owner.id, endedAt: null }).orFail()
      await cancel(_id)
      expect((await joinBy(service, secretOn(made))).outcome).to.equal('refused')
      expect(await trailOf(service, _id)).to.have.lengthOf(2)
    }
  })

  it('changes roles, removes people, ends their sessions and keeps the last owner', async () => {
    const { owner, base } = await open()
    const other = await enter(service, owner.businessId, 'owner')
    const form = { ...hiddenFields((await other.get(`${base}/people/invite`)).text), name: newName() }
    const rolePath = `${base}/people/${other.id}/role`
    expect((await submit(owner, rolePath, { role: 'king' })).status).to.equal(400)
    expect((await submit(owner, rolePath, { role: 'cashier' })).location).to.equal(`${base}/people`)
    const next = await other.post(`${base}/people/invite`, { ...form, role: 'owner' })
    expect(next.status).to.equal(403)
    expect(await service.deps.Invitation.countDocuments({ invitedBy: other.id })).to.equal(0)
    for (const act of ['role', 'remove']) {
      const last = await submit(owner, `${base}/people/${owner.id}/${act}`, { role: 'cashier' })
      expect([last.status, last.text.includes('must keep an owner')]).to.deep.equal([400, true])
    }
    expect((await submit(owner, `${base}/people/${other.id}/remove`)).location).to.equal(`${base}/people`)
    expect((await owner.act(`${base}/people/${other.id}/remove`)).location).to.equal(`${base}/people`)
    expect(await owner.read(`${base}/people`)).to.not.include(other.name)
    const acts = (await trailOf(service, other.id)).map(({ act }) => act)
    expect(acts.slice(-2)).to.deep.equal(['person.role-changed', 'person.removed'])
  })

  it("never shows or changes other businesses' people and invitations", async () => {
    const { owner, base } = await open()
    const stranger = await open()
    const sharedId = await addPerson(service, stranger.owner.businessId, 'cashier')
    await submit(stranger.owner, `${stranger.base}/people/invite`, { name: newName(), role: 'cashier' })
    const { _id } = await service.deps.Invitation.findOne({
      invitedBy: stranger.owner.id,
      endedAt: null,
    }).orFail()
    for (const path of [`${sharedId}/role`, `${sharedId}/remove`, `invitations/${_id}/cancel`]) {
      expect((await owner.get(`${base}/people/${path}`)).status, path).to.equal(404)
      const posted = await owner.act(`${base}/people/${path}`, { role: 'owner' })
      expect(posted.location, path).to.equal(`${base}/people`)
    }
    expect(await trailOf(service, _id)).to.have.lengthOf(1)
    expect((await trailOf(service, sharedId)).map(({ act }) => act)).to.deep.equal(['person.joined'])
    const forged = await owner.post(`${base}/people/${owner.id}/remove`, { csrf: 'forged' })
    expect(forged.status).to.equal(403)
  })

  it('refuses an act whose author was demoted while the form was being sent', async () => {
    const { owner, base } = await open()
    await addPerson(service, owner.businessId, 'owner')
    const path = `${base}/people/invite`
    const form = { ...hiddenFields((await owner.get(path)).text), name: newName(), role: 'owner' }
    const demotion = { id: owner.id, businessId: owner.businessId, role: 'cashier' } as const
    const [page] = await Promise.all([
      owner.post(path, form),
      changePersonRole(service.deps, demotion, operator),
    ])
    const open_ = await service.deps.Invitation.countDocuments({ invitedBy: owner.id, endedAt: null })
    expect(open_, String(page.status)).to.equal(0)
    if (page.status === 200) expect((await joinBy(service, secretOn(page))).outcome).to.equal('refused')
  })
})
