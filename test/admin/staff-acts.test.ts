import { randomBytes } from 'node:crypto'
import type { Deps } from '../../src/platform/deps.ts'
import type { Author } from '../../src/security/actor.ts'
import * as accounts from '../../src/staff/change-account.ts'
import { lookUpAccount } from '../../src/staff/list-accounts.ts'
import { hasPermission, type StaffRole, staffRoles } from '../../src/staff/permissions.ts'
import { accountActions, staffListActions } from '../../src/staff-acts/account-acts.ts'
import type { ActionGroup } from '../../src/staff-acts/act.ts'
import { businessActions } from '../../src/staff-acts/business-acts.ts'
import { apiKeyActions } from '../../src/staff-acts/key-acts.ts'
import { endpointActions } from '../../src/staff-pages/endpoint-acts.ts'
import { subscribe } from '../support/actions.ts'
import { closeInBackground } from '../support/closing.ts'
import { deadDeliveries } from '../support/dead-deliveries.ts'
import { waitForDeath } from '../support/kill-at-every-step.ts'
import { type Service, withService } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'
import { hiddenFields, hire, operator, readable, signedIn, type Visitor, visit } from './staff.ts'

const storage = { liveDocumentsPerDay: '', liveBytesPerDay: '', sandboxBytesPerDay: '' }
const noLimits = { perSecond: '', liveCodes: '', sandboxIntentsPerDay: '', ...storage }
const someLimits = () => ({ ...noLimits, perSecond: '7' })

interface Preparation {
  prepare(service: Service): Promise<string>
  /** A valid form without the reason. */
  fieldsFor?(id: string): Record<string, string>
  isRepeatable?: true
  /** Whether the response shows something that no other page shows, e.g. a link. */
  isShown?: true
}

const tested = <Found>(group: ActionGroup<Found, Deps>, preparations: Record<string, Preparation>) => {
  expect(Object.keys(preparations)).to.have.members(Object.keys(group.acts))
  const pathOf = (id: string) => `/admin${group.path.replace(':id', encodeURIComponent(id))}`
  return Object.entries(group.acts).map(([name, { isReasonOptional = false, audit }], index) => ({
    permission: group.permission,
    isReasonOptional,
    audited: [audit].flat(),
    // One function makes all links of a group, so testing one is enough.
    isFirst: index === 0,
    pathOf: (id: string) => `${pathOf(id)}/${name}`,
    pattern: `${group.path}/${name}`,
    backOf: pathOf,
    fieldsFor: (_id: string): Record<string, string> => ({}),
    isRepeatable: false,
    isShown: false,
    ...(preparations[name] as Preparation),
  }))
}

const businessWith = (fields: object) => async (service: Service) => {
  const { businessId } = await service.merchant()
  await service.deps.Business.updateOne({ _id: businessId }, { $set: fields })
  return businessId
}
const keyWith = (status: string) => async (service: Service) => {
  const { keyId } = await service.merchant()
  await service.deps.ApiKey.updateOne({ _id: keyId }, { $set: { status } })
  return keyId
}
const accountWith =
  (fields: object, role: StaffRole = 'viewer') =>
  async (service: Service) => {
    const { name } = await hire(service, role)
    await service.deps.Staff.updateOne({ _id: name }, { $set: fields })
    return name
  }
async function deadEndpoint(service: Service): Promise<string> {
  const merchant = await service.merchant()
  const { id } = await subscribe(service, merchant, 'http://127.0.0.1:9/hook', ['payment.created'])
  await deadDeliveries(service, merchant, 1)
  return id
}
const secondFactor = { id: 'f', secret: 's', lastStep: 0, recoveryCodes: [], addedAt: new Date() }

const allActs = [
  ...tested(businessActions, {
    approve: { prepare: businessWith({ liveApproved: false }) },
    unapprove: { prepare: businessWith({ liveApproved: true }) },
    enable: { prepare: businessWith({ apiEnabled: false }) },
    disable: { prepare: businessWith({ apiEnabled: true }) },
    resume: { prepare: businessWith({ suspended: true }) },
    suspend: { prepare: businessWith({ suspended: false }) },
    limits: { prepare: businessWith({}), fieldsFor: someLimits, isRepeatable: true },
  }),
  ...tested(apiKeyActions, {
    resume: { prepare: keyWith('suspended') },
    suspend: { prepare: keyWith('active') },
    revoke: { prepare: keyWith('suspended') },
  }),
  ...tested(accountActions, {
    role: { prepare: accountWith({}), fieldsFor: () => ({ role: 'support' }), isRepeatable: true },
    enable: { prepare: accountWith({ disabledAt: new Date() }) },
    disable: { prepare: accountWith({}, 'admin') },
    link: { prepare: accountWith({}), isShown: true, isRepeatable: true },
    'remove-second-factor': { prepare: accountWith({ secondFactor }) },
    'end-sessions': { prepare: async (at) => (await signedIn(at, 'viewer')).name, isRepeatable: true },
  }),
  ...tested(endpointActions, {
    'requeue-all': { prepare: deadEndpoint, fieldsFor: () => ({ from: '', to: '' }), isRepeatable: true },
    replay: {
      prepare: deadEndpoint,
      fieldsFor: () => ({ from: '2026-01-31T14:00', to: '', event: '', mode: 'test', deliveries: 'all' }),
      isRepeatable: true,
    },
  }),
  ...tested(staffListActions, {
    create: {
      prepare: async () => `new-${randomBytes(4).toString('hex')}`,
      fieldsFor: (name) => ({ name, role: 'support' }),
      isShown: true,
      isRepeatable: true,
    },
  }),
]

describe('A staff action', () => {
  const service = withService()
  const reason = 'Ticket 4711: “clé publiée”'
  let staff: Record<StaffRole, Visitor & { name: string }>
  before(async () => {
    const [viewer, support, admin] = await Promise.all(staffRoles.map((role) => signedIn(service, role)))
    staff = { viewer, support, admin } as typeof staff
  })

  async function linesOn(id: string) {
    const deliveries = await service.deps.Delivery.find({ endpointId: id }, { _id: 1 }).lean()
    const subject = { $in: [id, ...deliveries.map(({ _id }) => _id)] }
    const filter = { subject, 'actor.name': staff.admin.name }
    return service.deps.AuditEvent.find(filter).sort({ at: 1, _id: 1 }).lean()
  }
  const storedState = async (id: string) =>
    JSON.stringify([
      await service.deps.Business.findById(id).lean(),
      await service.deps.ApiKey.findById(id).lean(),
      await service.deps.Staff.findById(id).lean(),
      await service.deps.Delivery.find({ endpointId: id }).lean(),
    ])

  for (const act of allActs) {
    const { pathOf, backOf, permission } = act

    it(`is available only to roles with its permission: ${act.pattern}`, async () => {
      const id = await act.prepare(service)
      const path = pathOf(id)
      const fields = act.fieldsFor(id)
      const before = await storedState(id)
      const signedOut = visit(service)
      expect((await signedOut.get(path)).status).to.equal(303)
      expect((await signedOut.post(path, { ...fields, reason })).status).to.equal(403)
      for (const role of staffRoles) {
        const may = hasPermission({ role }, permission)
        expect((await staff[role].get(path)).status, role).to.equal(may ? 200 : 403)
        if (act.isFirst || role === 'admin') {
          const listed = (await staff[role].get(backOf(id))).text.includes(`href="${path}"`)
          expect(listed, `the page shows the link to ${role}`).to.equal(may)
        }
        if (may) continue
        expect((await staff[role].act(path, { ...fields, reason })).status, role).to.equal(403)
      }
      expect((await staff.admin.post(path, { ...fields, reason, csrf: 'forged' })).status).to.equal(403)
      const { csrf = '' } = hiddenFields((await staff.admin.get(path)).text)
      const foreign = { Origin: 'https://evil.example' }
      expect((await staff.admin.post(path, { ...fields, reason, csrf }, foreign)).status).to.equal(403)
      expect(await storedState(id)).to.equal(before)
      const unknown = pathOf('b'.repeat(24))
      if (unknown === path) return
      expect((await staff.admin.get(unknown)).status).to.equal(404)
      expect((await staff.admin.act(unknown, { ...fields, reason })).status).to.equal(404)
    })

    it(`requires a reason, runs once and is recorded with the reason: ${act.pattern}`, async () => {
      const id = await act.prepare(service)
      const path = pathOf(id)
      const fields = act.fieldsFor(id)
      const before = await storedState(id)
      const invalid = ['x'.repeat(301)]
      if (!act.isReasonOptional)
        invalid.push('', ...(act === allActs[0] ? [' ', 'a\nb', '\u200B', 'a\u202Eb'] : []))
      for (const each of invalid) {
        const { status, text } = await staff.admin.act(path, { ...fields, reason: each })
        expect([status, /id="reason-fault">Enter a reason/.test(text)]).to.deep.equal([400, true])
        expect(text).to.match(/aria-describedby="reason-hint reason-fault" aria-invalid="true"/)
      }
      expect(await storedState(id)).to.equal(before)
      const { status, location } = await staff.admin.act(path, { ...fields, reason })
      expect(status).to.equal(act.isShown ? 200 : 303)
      if (!act.isShown && act.isFirst)
        expect((await staff.admin.get(String(location))).text).to.include('role="status"')
      const lines = await linesOn(id)
      expect(lines.map((line) => line.act)).to.deep.equal(act.audited)
      expect(lines.map((line) => line.reason)).to.deep.equal(lines.map(() => reason))
      const actor = { kind: 'staff', name: staff.admin.name, from: '127.0.0.1' }
      expect(lines[0]?.actor).to.deep.equal(actor)
      if (act.isRepeatable) return
      const again = await staff.admin.act(path, { ...fields, reason })
      expect([again.status, again.location]).to.deep.equal([303, path])
      const page = await staff.admin.get(path)
      expect(readable(page.text)).to.match(/Nothing to do|cannot/)
      expect(page.text).not.to.include('name="reason"')
      expect(await linesOn(id)).to.have.lengthOf(1)
    })
  }

  it('shows its consequences and its target before you confirm it', async () => {
    const { businessId } = await service.merchant()
    await service.deps.Business.updateOne({ _id: businessId }, { $set: { name: '<script>\u202Ex' } })
    const { text } = await staff.admin.get(`/admin/businesses/${businessId}/suspend`)
    expect(text).to.include('<bdi>&#60;script&#62;\u202Ex</bdi>').and.not.include('<script>')
    expect(readable(text))
      .to.include('Closes The developer API')
      .and.include('Stays open Payments that a wallet is already processing')
      .and.include('Undo With “Resume”')
  })

  it("never changes a revoked key, and blocks a suspended key's requests immediately", async () => {
    const merchant = await service.merchant()
    const use = async () => (await service.http.get('/api/v1/dev/intents').set(merchant.read())).status
    const path = `/admin/keys/${merchant.keyId}`
    expect(await use()).to.equal(200)
    await staff.admin.act(`${path}/suspend`, { reason })
    expect(await use()).to.equal(403)
    await staff.admin.act(`${path}/revoke`, { reason })
    expect((await staff.admin.act(`${path}/resume`, { reason })).location).to.equal(`${path}/resume`)
    expect(await staff.admin.read(`${path}/resume`)).to.include('cannot be changed')
    expect(await staff.admin.read(path))
      .to.include('rejected: the key is revoked')
      .and.not.include('Actions')
    expect(await use()).to.equal(403)
  })

  it("sets a business's limits, and explains why a limit is invalid or missing", async () => {
    const { businessId } = await service.merchant()
    const path = `/admin/businesses/${businessId}/limits`
    const limitsOf = async () => (await service.deps.Business.findById(businessId).orFail().lean()).limits
    const set = (fields: Record<string, string>) => staff.admin.act(path, { ...storage, ...fields, reason })
    await set({ perSecond: '7', liveCodes: ' 8 ', sandboxIntentsPerDay: '0' })
    const kept = { perSecond: 7, liveCodes: 8, sandboxIntentsPerDay: 0, liveBytesPerDay: null }
    expect(await limitsOf()).to.include(kept)
    expect((await staff.admin.get(path)).text).to.include('name="perSecond" value="7"')
    const wrong = await set({ perSecond: '0', liveCodes: '1.5', sandboxIntentsPerDay: '-1' })
    expect(wrong.status).to.equal(400)
    for (const name of ['perSecond', 'liveCodes', 'sandboxIntentsPerDay'])
      expect(wrong.text).to.include(`id="${name}-fault">Enter a whole number`)
    expect(wrong.text).to.include('value="1.5"').and.include(`value="${reason}"`)
    const missing = await set({ perSecond: '', liveCodes: '9' })
    const { csrf = '' } = hiddenFields(missing.text)
    const sent = { csrf, reason, ...storage, perSecond: '5', liveCodes: '9', sandboxIntentsPerDay: '3' }
    const repeated = await staff.admin.post(path, [...Object.entries(sent), ['liveCodes', '9']])
    expect([repeated.status, repeated.text.includes('id="liveCodes-fault">')]).to.deep.equal([400, true])
    expect(missing.status).to.equal(400)
    expect(missing.text).to.include('id="sandboxIntentsPerDay-fault">')
    expect(await limitsOf()).to.include(kept)
    await set({ perSecond: '', liveCodes: '8', sandboxIntentsPerDay: '0' })
    expect(await limitsOf()).to.include({ perSecond: null, liveCodes: 8, sandboxIntentsPerDay: 0 })
  })

  it("changes only the fields you edited, so two admins don't overwrite each other", async () => {
    const { businessId } = await service.merchant()
    const path = `/admin/businesses/${businessId}/limits`
    const open = async () => ({ ...hiddenFields((await staff.admin.get(path)).text), ...noLimits, reason })
    const [first, second] = [await open(), await open()]
    await staff.admin.post(path, { ...first, perSecond: '7' })
    expect((await staff.admin.post(path, { ...second, liveCodes: '8' })).status).to.equal(303)
    const { limits } = await service.deps.Business.findById(businessId).orFail().lean()
    expect(limits).to.include({ perSecond: 7, liveCodes: 8, sandboxIntentsPerDay: null })
  })

  it("shows a new account's password link only once", async () => {
    const create = (name: string) => staff.admin.act('/admin/staff/create', { name, role: 'viewer', reason })
    const { text, headers } = await create(' Aicha ')
    expect(headers.get('cache-control')).to.equal('no-store')
    const [link = ''] = /http[^<]+\/set-password\/[^<]+/.exec(text) ?? []
    expect((await visit(service).get(new URL(link).pathname)).text).to.include('aicha')
    expect(JSON.stringify(await linesOn('aicha'))).to.not.include(link.split('/').at(-1))
    const account = '/admin/staff/account/aicha'
    const shown = () => staff.admin.read(account)
    expect(await shown()).to.match(/no password yet Role .* Password no password yet: link valid until \d/)
    for (const name of ['disable', 'enable']) await staff.admin.act(`${account}/${name}`, { reason })
    expect(await shown()).to.include('Password no password, no link: issue a link')
    const faults = { aicha: 'An account named aicha already exists', ï: 'Enter 1 to 64' }
    for (const [name, fault] of Object.entries(faults)) {
      const { status, text: page } = await create(name)
      expect([status, page.includes(`id="name-fault">${fault}`)], name).to.deep.equal([400, true])
    }
  })

  it('is refused for your own account', async () => {
    const before = await storedState(staff.admin.name)
    for (const name of Object.keys(accountActions.acts)) {
      const path = `/admin/staff/account/${staff.admin.name}/${name}`
      expect(await staff.admin.read(path)).to.include('This is your own account')
      expect((await staff.admin.act(path, { role: 'viewer', reason })).location).to.equal(path)
    }
    expect(await storedState(staff.admin.name)).to.equal(before)
  })

  describe('against one of the last two admins', () => {
    const byStaff: Author = { actor: { kind: 'staff', name: 'x', from: null }, reason }
    let others: string[]
    let pair: string[]

    beforeEach(async () => {
      const { Staff } = service.deps
      const enabled = await Staff.find({ role: 'admin', disabledAt: null }, { _id: 1 }).lean()
      others = enabled.map(({ _id }) => _id)
      await Staff.updateMany({ _id: { $in: others } }, { disabledAt: new Date() })
      pair = (await Promise.all([hire(service, 'admin'), hire(service, 'admin')])).map(({ name }) => name)
    })
    afterEach(async () => {
      await service.deps.Staff.updateMany({ _id: { $in: pair } }, { disabledAt: new Date() })
      await service.deps.Staff.updateMany({ _id: { $in: others } }, { disabledAt: null })
    })
    const acts = {
      'disable the other': (deps, name) => accounts.setStaffDisabled(deps, name, true, byStaff),
      'make the other a viewer': (deps, name) => accounts.changeRole(deps, name, 'viewer', byStaff),
      'issue a password link for the other': (deps, name) => accounts.issuePasswordLink(deps, name, byStaff),
    } satisfies Record<string, (deps: Deps, name: string) => Promise<unknown>>
    for (const [what, act] of Object.entries(acts))
      it(`leaves one admin able to sign in, even if both ${what} at the same time`, async () => {
        // Each request has read that there is another admin.
        const running = await Promise.all(
          pair.map(async (name) => {
            const victim = await openVictim(service, { step: 2, fate: 'paused', lateMs: 0 })
            const acting = act(victim.deps, name).catch((error: unknown) => error)
            await waitForDeath(victim, acting, { step: 2, label: name })
            return { victim, acting }
          }),
        )
        await Promise.all(running.map(({ victim }) => victim.release()))
        const results = await Promise.all(running.map(({ acting }) => acting))
        closeInBackground(...running.map(({ victim }) => victim.close()))
        expect(results.filter((result) => result instanceof accounts.LastAdminError)).to.have.length(1)
        const left = { _id: { $in: pair }, role: 'admin', disabledAt: null } as const
        expect(await service.deps.Staff.countDocuments({ ...left, passwordHash: { $ne: null } })).to.equal(1)
      })

    it('is refused for the last admin, except on the command line', async () => {
      const [one = '', other = ''] = pair
      await accounts.setStaffDisabled(service.deps, one, true, byStaff)
      const account = (await lookUpAccount(service.deps, other)) ?? expect.fail()
      for (const name of ['disable', 'role', 'link']) {
        const run = accountActions.acts[name]?.run(service.deps, account, byStaff, { role: 'viewer' })
        const refusal = await run?.catch((error: unknown) => accountActions.refusalText?.(error))
        expect(refusal, name).to.match(/^Nothing was changed\. /)
      }
      expect(await lookUpAccount(service.deps, other)).to.deep.equal(account)
      expect(await accounts.setStaffDisabled(service.deps, other, true, operator)).to.equal(true)
    })
  })
})
