import { createBusiness } from '../../src/businesses/change-business.ts'
import { changePersonRole, confirmOwnerSeen, setPersonDisabled } from '../../src/people/change-people.ts'
import { cancelInvitation, invitePerson } from '../../src/people/invite.ts'
import { listUnseenOwners } from '../../src/people/list-people.ts'
import { openAdmin } from '../admin/admin.ts'
import { operator, trailOf } from '../admin/staff.ts'
import { withService } from '../support/service.ts'
import { addPerson, joinBy, newName, password, tokenOf } from './member.ts'

describe('People of a merchant', () => {
  const service = withService()
  const newBusiness = async () =>
    (await createBusiness(service.deps, { name: 'Épicerie', liveApproved: false }, operator))._id
  const joining = (link: unknown) => joinBy(service, String(link))
  const why = (act: Promise<unknown>): Promise<unknown> =>
    act.then(
      (done) => done,
      (error) => error.why,
    )

  it('are invited, listed, disabled, enabled and reset on the command line', async () => {
    const cli = openAdmin(service)
    const businessId = await newBusiness()
    const invite = (role: string, name: string) =>
      cli.done('person', 'invite', '--business', businessId, '--role', role, '--name', name)
    const { link, ...rest } = await invite('owner', ' Fatou@Example.COM ')
    expect(rest).to.deep.equal({})
    expect(link).to.match(/^http.*\/portal\/invitation\/[\w-]{43}$/)
    expect((await joining(link)).outcome).to.equal('joined')
    expect((await joining(link)).outcome).to.equal('refused')
    const shown = await cli.done('person', 'show', 'fatou@example.com')
    expect(shown).to.deep.include({ name: 'fatou@example.com', secondFactor: false, disabledAt: null })
    const { id } = shown as { id: string }
    const other = await addPerson(service, businessId, 'owner', '22 34 56 78')
    const listed = await cli.done('person', 'list', '--business', businessId, '--role', 'owner')
    expect((listed.items as unknown as { id: string }[]).map((each) => each.id)).to.have.members([id, other])
    expect(await cli.done('person', 'disable', id)).to.include({ disabled: true })
    expect(await cli.done('person', 'enable', id)).to.include({ disabled: false })
    const reset = await cli.done('person', 'reset', id)
    expect(reset.link).to.match(/\/portal\/set-password\/[\w-]{43}$/)
    const stored = JSON.stringify([await service.deps.Person.find().lean(), await trailOf(service, id)])
    for (const secret of [password, tokenOf(String(link)), tokenOf(String(reset.link))])
      expect(stored).not.to.include(secret)
    for (const [about, ...args] of [
      ['e-mail address or a phone', 'invite', '--business', businessId, '--role', 'owner', '--name', 'fatou'],
      ['no such business', 'invite', '--business', 'x', '--role', 'owner', '--name', 'a@b.example'],
      [
        'already has a role',
        'invite',
        '--business',
        businessId,
        '--role',
        'cashier',
        '--name',
        'fatou@example.com',
      ],
      ['no person', 'show', 'nobody@example.com'],
      ['no owner who can sign in', 'disable', other],
    ]) {
      const { exitCode, stdout, stderr } = await cli.here('--json', 'person', ...args.map(String))
      expect([exitCode > 0, stdout], about).to.deep.equal([true, ''])
      expect(stderr).to.include(about)
    }
  })

  it('join with a link only once, before it ends or is cancelled', async () => {
    const businessId = await newBusiness()
    const invited = { businessId, role: 'owner', name: newName() } as const
    const cancelled = await invitePerson(service.deps, invited, operator)
    expect(
      await cancelInvitation(service.deps, { id: cancelled.id, businessId: 'other' }, operator),
    ).to.equal(false)
    expect(await cancelInvitation(service.deps, { id: cancelled.id, businessId }, operator)).to.equal(true)
    expect((await joining(cancelled.link)).outcome).to.equal('refused')
    const late = await invitePerson(service.deps, invited, operator)
    service.clock.advance(86_400_000)
    expect((await joining(late.link)).outcome).to.equal('refused')
    const { link } = await invitePerson(service.deps, invited, operator)
    const outcomes = (await Promise.all([1, 2, 3].map(() => joining(link)))).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'joined')).to.have.lengthOf(1)
    expect(await service.deps.Person.countDocuments({ name: invited.name })).to.equal(1)
    const elsewhere = { ...invited, businessId: await newBusiness() }
    const second = await invitePerson(service.deps, elsewhere, operator)
    expect((await joining(second.link)).outcome).to.equal('must-sign-in')
  })

  it('need an owner first, and always keep one who can sign in', async () => {
    const businessId = await newBusiness()
    const cashier = { businessId, role: 'cashier', name: newName() } as const
    expect(await why(invitePerson(service.deps, cashier, operator))).to.equal('no-owner')
    const owners = [
      await addPerson(service, businessId, 'owner'),
      await addPerson(service, businessId, 'owner'),
    ]
    const changes = owners.flatMap((id) => [
      why(changePersonRole(service.deps, { id, businessId, role: 'cashier' }, operator)),
      why(changePersonRole(service.deps, { id, businessId, role: null }, operator)),
      why(setPersonDisabled(service.deps, id, true, operator)),
    ])
    expect(await Promise.all(changes)).to.include('last-owner')
    const able = { roles: { $elemMatch: { businessId, role: 'owner' } }, disabledAt: null }
    expect(await service.deps.Person.countDocuments(able)).to.equal(1)
  })

  it('lose their open invitations along with their role', async () => {
    const businessId = await newBusiness()
    const [id] = [
      await addPerson(service, businessId, 'owner'),
      await addPerson(service, businessId, 'owner'),
    ]
    const by = { actor: { kind: 'person', name: id, from: null }, reason: null } as const
    const { link } = await invitePerson(service.deps, { businessId, role: 'owner', name: newName() }, by)
    await changePersonRole(service.deps, { id, businessId, role: 'cashier' }, operator)
    expect((await joining(link)).outcome).to.equal('refused')
  })

  it('who were let in by staff as owners are confirmed by one who was an owner before', async () => {
    const businessId = await newBusiness()
    const [first, second] = [
      await addPerson(service, businessId, 'owner'),
      await addPerson(service, businessId, 'owner'),
    ]
    const by = (name: string) => ({ actor: { kind: 'person', name, from: null }, reason: null }) as const
    const invited = { businessId, role: 'owner', name: newName() } as const
    const { link } = await invitePerson(service.deps, invited, by(second))
    const joined = await joining(link)
    const accomplice = joined.outcome === 'joined' ? joined.person._id : ''
    const held = async (id: string) => {
      const [role] = (await service.deps.Person.findById(id).orFail().lean()).roles
      return role ?? expect.fail()
    }
    expect((await held(second)).unseenSince).to.not.equal(null)
    for (const [confirmer, isEnough] of [
      [second, false],
      [accomplice, false],
      [first, true],
    ] as const) {
      const { since } = await held(confirmer)
      const unseen = await listUnseenOwners(service.deps, businessId, { id: confirmer, since })
      expect(unseen.map(({ id }) => id)).to.deep.equal(isEnough ? [second] : [])
      const confirmed = confirmOwnerSeen(service.deps, { id: second, businessId, since }, by(confirmer))
      expect(await confirmed).to.equal(isEnough)
    }
    expect((await held(second)).unseenSince).to.equal(null)
  })
})
