import { createBusiness } from '../../src/businesses/change-business.ts'
import { operator, signedIn } from '../admin/staff.ts'
import { withService } from '../support/service.ts'
import { addPerson, joinBy } from './member.ts'

describe('The staff pages about people', () => {
  const service = withService()

  it('let only an admin invite, disable, enable and reset a person, with a reason', async () => {
    const [admin, support] = [await signedIn(service, 'admin'), await signedIn(service, 'support')]
    const { _id: business } = await createBusiness(
      service.deps,
      { name: 'Nour', liveApproved: true },
      operator,
    )
    const invited = { business, role: 'owner', name: 'Aïcha@Exemple.mr', reason: 'signed contract 12' }
    expect((await support.act('/admin/people/invite', invited)).status).to.equal(403)
    expect((await admin.act('/admin/people/invite', { ...invited, reason: '' })).status).to.equal(400)
    expect((await admin.act('/admin/people/invite', { ...invited, name: 'x' })).status).to.equal(400)
    const shown = await admin.get(`/admin/people/invite?business=${business}`)
    expect(shown.text).to.include(`value="${business}"`)
    const links = []
    for (const _ of [1, 2]) {
      const { status, text } = await admin.act('/admin/people/invite', invited)
      expect(status).to.equal(200)
      links.push(/<pre>(\S+)<\/pre>/.exec(text)?.[1] ?? '')
    }
    expect((await joinBy(service, links[0] ?? '')).outcome).to.equal('refused')
    expect((await joinBy(service, links[1] ?? '')).outcome).to.equal('joined')
    expect(await admin.read(`/admin/people?business=${business}`)).to.include('aïcha@exemple.mr')
    expect(await admin.read('/admin/people?business=other')).not.to.include('aïcha')
    const { _id: id } = await service.deps.Person.findOne({ name: 'aïcha@exemple.mr' }).orFail().lean()
    const path = `/admin/people/account/${id}`
    expect(await admin.read(path))
      .to.include('owner of')
      .and.to.include('none in 30 days')
    const reason = { reason: 'ticket 9' }
    expect((await admin.act(`${path}/disable`, reason)).text).to.include('no owner who can sign in')
    await addPerson(service, business, 'owner')
    for (const act of ['disable', 'enable']) {
      expect((await support.act(`${path}/${act}`, reason)).status).to.equal(403)
      expect((await admin.act(`${path}/${act}`, reason)).location).to.equal(`${path}?done=${act}`)
    }
    expect((await admin.act(`${path}/reset`, reason)).text).to.match(
      /<pre>\S+\/portal\/set-password\/[\w-]{43}</,
    )
  })
})
