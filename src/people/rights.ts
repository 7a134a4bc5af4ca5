import type { ApiScope } from '../../schemas/scopes.ts'
import type { SignedIn } from '../accounts/sessions.ts'
import type { Business } from '../businesses/business.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../platform/deps.ts'
import type { PersonRole } from './names.ts'
import { type Person, roleIn } from './person.ts'

interface Right {
  roles: readonly PersonRole[]
  /** Refused while the business is disabled or suspended. Live acts also need approval, except on the `business`. */
  changes?: true | 'business'
  /** Only until the business is approved. Allowed in both environments. */
  beforeApproval?: true
  /** Needs a password or code that was entered within the last 10 minutes. */
  stepUp?: true
}

const [owner, cashier, accountant] = ['owner', 'cashier', 'accountant'] as const

/** What a person may do. Pages ask only this table. */
export const rights = {
  'use-till': { roles: [owner, cashier], changes: true },
  'read-payments': { roles: [owner, accountant] },
  'export-payments': { roles: [owner, accountant] },
  'cancel-payments': { roles: [owner], changes: true },
  'refund-payments': { roles: [owner], changes: true, stepUp: true },
  'read-money': { roles: [owner, accountant] },
  'read-webhooks': { roles: [owner] },
  'change-webhooks': { roles: [owner], changes: true },
  'change-endpoints': { roles: [owner], changes: true, stepUp: true },
  'read-keys': { roles: [owner] },
  'change-test-keys': { roles: [owner], changes: true },
  'change-live-keys': { roles: [owner], changes: true, stepUp: true },
  'ask-for-live': { roles: [owner], changes: true, beforeApproval: true },
  'read-people': { roles: [owner] },
  'change-people': { roles: [owner], changes: 'business', stepUp: true },
  'read-limits': { roles: [owner, accountant] },
  'read-acts': { roles: [owner] },
} as const satisfies Record<string, Right>
export type RightName = keyof typeof rights

const stepUpMs = 10 * 60_000

export interface Member {
  person: SignedIn
  role: PersonRole
  since: Date
  business: Business
  sandbox: boolean
  hasSecondFactor: boolean
}

/** Why a member may not do something now. */
export type RightRefusal = 'role' | 'second-factor' | 'approved' | 'not-approved' | 'closed' | 'step-up'

export function refusalOf(name: RightName, member: Member, now: Date): RightRefusal | null {
  const { roles, changes, beforeApproval, stepUp }: Right = rights[name]
  const { role, business, sandbox, hasSecondFactor, person } = member
  if (!roles.includes(role)) return 'role'
  if (role === 'owner' && business.liveApproved && !hasSecondFactor) return 'second-factor'
  if (changes && (business.suspended || !business.apiEnabled)) return 'closed'
  if (beforeApproval) return business.liveApproved ? 'approved' : null
  if (changes === true && !sandbox && !business.liveApproved) return 'not-approved'
  return stepUp && !isProved(person, now) ? 'step-up' : null
}

export const isProved = ({ provedAt }: Pick<SignedIn, 'provedAt'>, now: Date): boolean =>
  now.getTime() < provedAt.getTime() + stepUpMs

/** Null if the person has no role in this business, or if there is none. */
export async function findMember(
  { Business: businesses }: Pick<Deps, 'Business'>,
  { account, ...person }: SignedIn & { account: object },
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
): Promise<Member | null> {
  const { roles, secondFactor } = account as Person
  const held = roleIn({ roles }, businessId)
  const business = held && (await businesses.findOne({ _id: businessId }).lean<Business | null>())
  const hasSecondFactor = secondFactor !== null
  return held && business && { ...held, person, business, sandbox, hasSecondFactor }
}

const scopes: Record<PersonRole, readonly ApiScope[]> = {
  owner: [
    'payments.intents:read',
    'payments.intents:write',
    'payments.refunds:write',
    'webhooks.endpoints:read',
    'webhooks.endpoints:write',
    'webhooks.deliveries:read',
    'webhooks.deliveries:write',
    // For the event `order.new`.
    'store.orders:read',
  ],
  cashier: ['payments.intents:read', 'payments.intents:write'],
  accountant: ['payments.intents:read'],
}

/** With it, pages run the operations of the API. */
export const callerOf = ({ person, role, business, sandbox }: Member, ip: string): Caller => ({
  keyId: `${person.id}.${business._id}`,
  businessId: business._id,
  kind: 'secret',
  sandbox,
  scopes: new Set(scopes[role]),
  limits: business.limits,
  commission: business.commission,
  ip,
  person: { id: person.id, name: person.name, expectValid: person.expectValid },
})
