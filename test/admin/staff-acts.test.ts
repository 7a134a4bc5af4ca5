import { expect } from 'chai'
import { businessActs } from '../../src/admin/acts/business-acts.ts'
import type { ActGroup } from '../../src/admin/acts/staff-act.ts'
import { type Role, roles } from '../../src/staff/account.ts'
import { mayStaff, type Permission } from '../../src/staff/permissions.ts'
import { type Service, withService } from '../support/service.ts'
import { readable, signedIn, type Visitor, visit } from './staff.ts'

/** An act as the tests need it, whatever kind of object it changes. */
interface TestedAct {
  name: string
  permission: Permission
  isReasonOptional: boolean
  /** The address of the act's page, and that of its object, for the id of an object. */
  pathOf(id: string): string
  backOf(id: string): string
  /** Creates an object on which the act is possible. Returns its id. */
  prepare(service: Service): Promise<string>
  /** The fields of a valid form, besides the reason. */
  fields: Record<string, string>
  /** The name of the act in the audit trail. */
  audited: string
}

type Preparation = Pick<TestedAct, 'prepare' | 'audited'> & { fields?: Record<string, string> }

/** Returns all acts of a group. Each of them must have a preparation. */
const tested = <Found>(group: ActGroup<Found>, preparations: Record<string, Preparation>): TestedAct[] => {
  expect(Object.keys(preparations)).to.have.members(Object.keys(group.acts))
  const pathOf = (id: string) => `/admin${group.path.replace(':id', encodeURIComponent(id))}`
  return Object.entries(group.acts).map(([name, { permission, isReasonOptional = false }]) => ({
    name,
    permission,
    isReasonOptional,
    pathOf: (id) => `${pathOf(id)}/${name}`,
    backOf: pathOf,
    fields: {},
    ...(preparations[name] as Preparation),
  }))
}

const businessWith = (fields: object) => async (service: Service) => {
  const { businessId } = await service.merchant()
  await service.deps.Business.updateOne({ _id: businessId }, { $set: fields })
  return businessId
}

const allActs: TestedAct[] = [
  ...tested(businessActs, {
    approve: { prepare: businessWith({ liveApproved: false }), audited: 'business.approved' },
    unapprove: { prepare: businessWith({ liveApproved: true }), audited: 'business.unapproved' },
    enable: { prepare: businessWith({ apiEnabled: false }), audited: 'business.enabled' },
    disable: { prepare: businessWith({ apiEnabled: true }), audited: 'business.disabled' },
    resume: { prepare: businessWith({ suspended: true }), audited: 'business.resumed' },
    suspend: { prepare: businessWith({ suspended: false }), audited: 'business.suspended' },
    limits: { prepare: businessWith({}), audited: 'business.limited', fields: { perSecond: '7' } },
  }),
]

/** The acts that leave nothing to do, so that a second confirmation does nothing. */
const repeatable = new Set(['limits'])

describe('An act of staff', () => {
  const service = withService()
  const reason = 'Ticket 4711: “clé publiée”'
  let staff: Record<Role, Visitor & { name: string }>
  before(async () => {
    const [viewer, support, admin] = await Promise.all(roles.map((role) => signedIn(service, role)))
    staff = { viewer, support, admin } as typeof staff
  })

  const linesOn = (subject: string) =>
    service.deps.AuditEvent.find({ subject }).sort({ at: 1, _id: 1 }).lean()
  const storedState = async (id: string) =>
    JSON.stringify([
      await service.deps.Business.findById(id).lean(),
      await service.deps.ApiKey.findById(id).lean(),
      await service.deps.Staff.findById(id).lean(),
    ])

  for (const act of allActs) {
    const { pathOf, backOf, fields, permission, audited } = act

    it(`is open only to the roles that have its permission: ${pathOf(':id')}`, async () => {
      const id = await act.prepare(service)
      const path = pathOf(id)
      const before = await storedState(id)
      const signedOut = visit(service)
      expect((await signedOut.get(path)).status).to.equal(303)
      expect((await signedOut.post(path, { ...fields, reason })).status).to.equal(403)
      for (const role of roles) {
        const may = mayStaff({ role }, permission)
        expect((await staff[role].get(path)).status, role).to.equal(may ? 200 : 403)
        const listed = (await staff[role].get(backOf(id))).text.includes(`href="${path}"`)
        expect(listed, `the page shows the link to ${role}`).to.equal(may)
        if (may) continue
        expect((await staff[role].act(path, { ...fields, reason })).status, role).to.equal(403)
      }
      expect((await staff.admin.post(path, { ...fields, reason, csrf: 'forged' })).status).to.equal(403)
      const csrf = /name="csrf" value="([^"]+)"/.exec((await staff.admin.get(path)).text)?.[1] ?? ''
      const foreign = { Origin: 'https://evil.example' }
      expect((await staff.admin.post(path, { ...fields, reason, csrf }, foreign)).status).to.equal(403)
      expect(await storedState(id)).to.equal(before)
      const unknown = pathOf('b'.repeat(24))
      expect((await staff.admin.get(unknown)).status).to.equal(404)
      expect((await staff.admin.act(unknown, { ...fields, reason })).status).to.equal(404)
    })

    it(`requires a reason, is done once and is recorded with the reason: ${pathOf(':id')}`, async () => {
      const id = await act.prepare(service)
      const path = pathOf(id)
      const before = await storedState(id)
      const invalid = act.isReasonOptional
        ? ['x'.repeat(301)]
        : ['', ' ', 'x'.repeat(301), 'a\nb', 'a\u202eb']
      for (const each of invalid) {
        const { status, text } = await staff.admin.act(path, { ...fields, reason: each })
        expect([status, /id="reason-fault">Enter a reason/.test(text)]).to.deep.equal([400, true])
        expect(text).to.match(/aria-describedby="reason-fault[^>]+aria-invalid="true"/)
      }
      expect(await storedState(id)).to.equal(before)
      const { status, location } = await staff.admin.act(path, { ...fields, reason })
      expect(status).to.equal(303)
      expect((await staff.admin.get(String(location))).text).to.include('role="status"')
      const [line, ...others] = await linesOn(id)
      expect(others).to.deep.equal([])
      expect(line).to.deep.include({ act: audited, reason })
      expect(line?.actor).to.deep.equal({ kind: 'staff', name: staff.admin.name, from: '127.0.0.1' })
      if (repeatable.has(act.name)) return
      const again = await staff.admin.act(path, { ...fields, reason })
      expect([again.status, again.location]).to.deep.equal([303, path])
      const page = await staff.admin.get(path)
      expect(readable(page.text)).to.match(/Nothing to do|cannot/)
      expect(page.text).not.to.include('name="reason"')
      expect(await linesOn(id)).to.have.lengthOf(1)
    })
  }

  it('shows its consequences and the object before it is confirmed, and escapes the name of the object', async () => {
    const { businessId } = await service.merchant()
    await service.deps.Business.updateOne({ _id: businessId }, { $set: { name: '<script>\u202Ex' } })
    const { text } = await staff.admin.get(`/admin/businesses/${businessId}/suspend`)
    expect(text).to.include('<bdi>&#60;script&#62;\u202Ex</bdi>').and.not.include('<script>')
    expect(readable(text))
      .to.include('Closes The developer API')
      .and.include('Stays open Payments that a wallet is already processing')
      .and.include('Undo With “Resume”')
  })

  it('sets the limits of a business, keeps the limits that the form omits, and rejects invalid limits with messages', async () => {
    const { businessId } = await service.merchant()
    const path = `/admin/businesses/${businessId}/limits`
    const limitsOf = async () => (await service.deps.Business.findById(businessId).orFail().lean()).limits
    const set = (fields: Record<string, string>) => staff.admin.act(path, { ...fields, reason })
    await set({ perSecond: '7', liveCodes: ' 8 ', sandboxIntentsPerDay: '0' })
    expect(await limitsOf()).to.deep.equal({ perSecond: 7, liveCodes: 8, sandboxIntentsPerDay: 0 })
    expect((await staff.admin.get(path)).text).to.include('name="perSecond" value="7"')
    const wrong = await set({ perSecond: '0', liveCodes: '1.5', sandboxIntentsPerDay: '-1' })
    expect(wrong.status).to.equal(400)
    for (const name of ['perSecond', 'liveCodes', 'sandboxIntentsPerDay'])
      expect(wrong.text).to.include(`id="${name}-fault">Enter a whole number`)
    expect(wrong.text).to.include('value="1.5"').and.include(`value="${reason}"`)
    await set({ perSecond: '' })
    expect(await limitsOf()).to.deep.equal({ perSecond: null, liveCodes: 8, sandboxIntentsPerDay: 0 })
  })
})
