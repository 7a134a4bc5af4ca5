import { expect } from 'chai'
import type { AuditAction } from '../../src/audit/acts.ts'
import { type BusinessChange, changeBusiness } from '../../src/businesses/change-business.ts'
import type { PersonRole } from '../../src/people/names.ts'
import { type Member, type RightName, refusalOf, rights } from '../../src/people/rights.ts'
import { addFactor, operator, type Page } from '../admin/staff.ts'
import { newBusiness } from '../portal/member-forms.ts'
import { withService } from '../support/service.ts'
import { enter, type PersonVisitor } from './member.ts'

type Outcome = 'done' | 'role' | 'second-factor' | 'not-approved' | 'approved' | 'closed' | 'step-up'
type State = 'unapproved' | 'approved' | 'closed'
type Kind = Record<'test' | 'live', Record<State, Outcome>>

const read: Kind = {
  test: { unapproved: 'done', approved: 'done', closed: 'done' },
  live: { unapproved: 'done', approved: 'done', closed: 'done' },
}
const change: Kind = {
  test: { unapproved: 'done', approved: 'done', closed: 'closed' },
  live: { unapproved: 'not-approved', approved: 'done', closed: 'closed' },
}
const ofBusiness: Kind = {
  test: { unapproved: 'done', approved: 'done', closed: 'closed' },
  live: { unapproved: 'done', approved: 'done', closed: 'closed' },
}
const beforeApproval: Kind = {
  test: { unapproved: 'done', approved: 'approved', closed: 'closed' },
  live: { unapproved: 'done', approved: 'approved', closed: 'closed' },
}

const [owner, cashier, accountant] = ['owner', 'cashier', 'accountant'] as const
const id = 'aaaaaaaaaaaaaaaaaaaaaaaa'

interface Expected {
  roles: PersonRole[]
  kind: Kind
  /** Refused 10 minutes after the password. */
  isProved?: true
  /** What uses the right, and changes nothing. Empty if there is no page. */
  requests: string[]
}

const expected: Record<RightName, Expected> = {
  'use-till': {
    roles: [owner, cashier],
    kind: change,
    requests: ['GET /till', 'POST /till', 'GET /till/day', `POST /till/payments/PI-AAAAAAAAAAAAAAAA/cancel`],
  },
  'read-payments': {
    roles: [owner, accountant],
    kind: read,
    requests: ['GET /payments', 'GET /payments/PI-X'],
  },
  'export-payments': { roles: [owner, accountant], kind: read, requests: ['GET /payments/export'] },
  'cancel-payments': { roles: [owner], kind: change, requests: ['POST /payments/PI-X'] },
  'refund-payments': {
    roles: [owner],
    kind: change,
    isProved: true,
    requests: ['GET /payments/PI-X/refund', 'POST /payments/PI-X/refund'],
  },
  'read-money': { roles: [owner, accountant], kind: read, requests: ['GET /money', 'GET /money/entries'] },
  'read-webhooks': {
    roles: [owner],
    kind: read,
    requests: ['', '/endpoints/x', '/endpoints/x/replays', '/endpoints/x/replays/x', '/deliveries/x'].map(
      (path) => `GET /webhooks${path}`,
    ),
  },
  'change-webhooks': {
    roles: [owner],
    kind: change,
    requests: [
      'POST /webhooks/endpoints/x/replays/x',
      'POST /webhooks/deliveries/x',
      ...['test', 'replays/new'].flatMap((path) => [
        `GET /webhooks/endpoints/x/${path}`,
        `POST /webhooks/endpoints/x/${path}`,
      ]),
    ],
  },
  'change-endpoints': {
    roles: [owner],
    kind: change,
    isProved: true,
    requests: ['new', ...['rotate', 'change', 'delete'].map((act) => `endpoints/x/${act}`)].flatMap(
      (path) => [`GET /webhooks/${path}`, `POST /webhooks/${path}`],
    ),
  },
  'read-keys': { roles: [owner], kind: read, requests: ['GET /keys'] },
  'change-test-keys': {
    roles: [owner],
    kind: change,
    requests: ['new/secret', 'new/publishable', `${id}/rotate`, `${id}/revoke`].flatMap((path) => [
      `GET test /keys/${path}`,
      `POST test /keys/${path}`,
    ]),
  },
  'change-live-keys': {
    roles: [owner],
    kind: change,
    isProved: true,
    requests: ['new/secret', 'new/publishable', `${id}/rotate`, `${id}/revoke`].flatMap((path) => [
      `GET live /keys/${path}`,
      `POST live /keys/${path}`,
    ]),
  },
  'ask-for-live': { roles: [owner], kind: beforeApproval, requests: ['POST /keys/live-access'] },
  'read-people': { roles: [owner], kind: read, requests: ['GET /people', `POST /owners/${id}/seen`] },
  'change-people': {
    roles: [owner],
    kind: ofBusiness,
    isProved: true,
    requests: ['invite', `invitations/${id}/cancel`, `${id}/role`, `${id}/remove`].flatMap((path) => [
      `GET /people/${path}`,
      `POST /people/${path}`,
    ]),
  },
  'read-limits': { roles: [owner, accountant], kind: read, requests: ['GET /limits'] },
  'read-acts': { roles: [owner], kind: read, requests: ['GET /activity'] },
}

const notes: [text: string, outcome: Outcome][] = [
  ['Your role does not include this', 'role'],
  ['This business is suspended or disabled', 'closed'],
  ['This business has no live access yet', 'not-approved'],
  ['This business has live access', 'approved'],
]

function outcomeOf({ status, location, text }: Page): string {
  if (location?.startsWith('/portal/confirm?to=')) return 'step-up'
  if (location?.startsWith('/portal/account/second-factor')) return 'second-factor'
  if (location?.startsWith('/portal/sign-in')) return 'signed-out'
  if (status !== 403) return status < 500 ? 'done' : String(status)
  return notes.find(([note]) => text.includes(note))?.[1] ?? text
}

describe('The rights of people', function () {
  this.timeout(120_000)
  const service = withService()

  /** Sends everything in both environments, and returns what didn't turn out as it should. */
  async function wrongs(
    visitor: PersonVisitor,
    businessId: string,
    wanted: (name: RightName, mode: 'test' | 'live') => Outcome | 'hidden',
  ) {
    const wrong: string[] = []
    for (const [name, { requests }] of Object.entries(expected) as [RightName, Expected][])
      for (const request of requests)
        for (const mode of ['test', 'live'] as const) {
          const [, method, only = mode, below = ''] = /^(\w+) (?:(test|live) )?(.*)$/.exec(request) ?? []
          if (only !== mode) continue
          const area = below.startsWith('/till') ? '/till' : '/portal'
          const path = `${area}/${businessId}/${mode}${below.replace(/^\/till/, '')}`
          const page = await (method === 'GET' ? visitor.get(path) : visitor.act(path))
          const outcome =
            page.text.includes('There is no page at this address.') && wanted(name, mode) === 'hidden'
              ? 'hidden'
              : outcomeOf(page)
          if (outcome !== wanted(name, mode))
            wrong.push(`${request} ${mode}: ${outcome}, not ${wanted(name, mode)}`)
        }
    return wrong
  }

  const wantedOf =
    (role: PersonRole, state: State, { hasFactor = false, isLate = false } = {}) =>
    (name: RightName, mode: 'test' | 'live'): Outcome => {
      const { roles, kind, isProved } = expected[name]
      if (!roles.includes(role)) return 'role'
      if (role === owner && state === 'approved' && !hasFactor) return 'second-factor'
      const outcome = kind[mode][state]
      return outcome === 'done' && isProved && isLate ? 'step-up' : outcome
    }

  const states: Record<string, [state: State, liveApproved: boolean, change?: BusinessChange]> = {
    unapproved: ['unapproved', false],
    approved: ['approved', true],
    disabled: ['closed', false, { apiEnabled: false }],
    suspended: ['closed', false, { suspended: true }],
  }

  for (const [label, [state, liveApproved, closing]] of Object.entries(states))
    it(`depend on role, act and environment in a business that is ${label}`, async () => {
      const [businessId, other] = [await newBusiness(service, liveApproved), await newBusiness(service)]
      const people = new Map<PersonRole, PersonVisitor>()
      for (const role of [owner, cashier, accountant])
        people.set(role, await enter(service, businessId, role))
      const act: AuditAction = closing?.suspended ? 'business.suspended' : 'business.disabled'
      if (closing) await changeBusiness(service.deps, businessId, closing, { ...operator, act })
      for (const [role, visitor] of people) {
        expect(await wrongs(visitor, businessId, wantedOf(role, state)), role).to.deep.equal([])
        expect(await wrongs(visitor, other, () => 'hidden'), role).to.deep.equal([])
      }
      service.clock.advance(10 * 60_000)
      for (const [role, visitor] of people)
        expect(
          await wrongs(visitor, businessId, wantedOf(role, state, { isLate: true })),
          role,
        ).to.deep.equal([])
    })

  it('need a second factor of owners once the business is approved', async () => {
    const businessId = await newBusiness(service, true)
    const visitor = await enter(service, businessId, owner)
    await addFactor(service, visitor)
    const hasFactor = true
    expect(await wrongs(visitor, businessId, wantedOf(owner, 'approved', { hasFactor }))).to.deep.equal([])
    service.clock.advance(10 * 60_000)
    const late = wantedOf(owner, 'approved', { hasFactor, isLate: true })
    expect(await wrongs(visitor, businessId, late)).to.deep.equal([])
  })

  it('follow the same table where there is no page yet', async () => {
    const now = service.clock.now()
    const [provedAt, late] = [now, new Date(now.getTime() + 10 * 60_000)]
    const business = await service.deps.Business.findById(await newBusiness(service))
      .orFail()
      .lean()
    const wrong: string[] = []
    for (const name of Object.keys(rights) as RightName[])
      for (const [label, [state, liveApproved, closing]] of Object.entries(states))
        for (const role of [owner, cashier, accountant])
          for (const hasFactor of [true, false])
            for (const sandbox of [true, false])
              for (const isLate of [true, false]) {
                const shown = { ...business, liveApproved, ...closing, limits: business.limits }
                const person = { provedAt } as Member['person']
                const member = {
                  person,
                  role,
                  since: now,
                  business: shown,
                  sandbox,
                  hasSecondFactor: hasFactor,
                }
                const outcome = refusalOf(name, member, isLate ? late : now) ?? 'done'
                const wanted = wantedOf(role, state, { hasFactor, isLate })(name, sandbox ? 'test' : 'live')
                if (outcome !== wanted) wrong.push([name, label, role, hasFactor, sandbox, isLate].join(' '))
              }
    expect(wrong).to.deep.equal([])
  })
})
