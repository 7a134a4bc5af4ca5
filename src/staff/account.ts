import * as accounts from '../accounts/account.ts'
import { findSession, type SignedIn } from '../accounts/sessions.ts'
import { signInLimits } from '../accounts/sign-in-limit.ts'
import { declareCollection, indexIfPresent, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import type { Deps } from '../platform/deps.ts'
import { isValidStaffName, requiresSecondFactor, type StaffRole } from './permissions.ts'

/** `_id` is the account's name, in lower case. */
export const staffAccounts = declareCollection({
  name: 'staff',
  kept: 'forever',
  fields: {
    ...accounts.accountFields,
    role: field.oneOf<StaffRole>(),
    /** Incremented to make concurrent changes conflict (change-account.ts). */
    timesNeeded: field.optional(field.whole),
  },
  indexes: [{ name: 'byLink', key: { 'link.hash': 1 }, ...indexIfPresent('link.hash') }],
})
export type Staff = Stored<typeof staffAccounts>

export const staffSessions = declareCollection({
  name: 'staffsessions',
  kept: 'until it expires, 30 days after sign-in',
  fields: { ...accounts.sessionFields, staffName: field.text },
  indexes: [
    { name: 'removal', key: { createdAt: 1 }, expireAfterSeconds: accounts.sessionRemovedAfterSeconds },
    { name: 'byName', key: { staffName: 1, createdAt: -1 } },
  ],
})

const accountKind: accounts.AccountKind = {
  noun: 'staff',
  collection: staffAccounts.name,
  sessionCollection: staffSessions.name,
  owner: 'staffName',
  nameField: '_id',
  readName: (typed) => (isValidStaffName(typed) ? typed : null),
}

/** High enough for an office that shares one address. */
export const staffSignInLimits = signInLimits('sign-in', 'staff', 50)

type StaffModels = Pick<Deps, 'Staff' | 'StaffSession'>

/** Inherits from `deps`, whose models are created on first use. */
export const withStaffAccounts = <D extends StaffModels>(deps: D): D & accounts.Accounts =>
  Object.create(deps, {
    Account: { get: () => deps.Staff },
    AccountSession: { get: () => deps.StaffSession },
    accountKind: { value: accountKind },
  })

export interface SignedInStaff extends SignedIn {
  role: StaffRole
  /** If true, the session may only add a second factor or sign out. */
  mustAddFactor: boolean
}

export async function findStaffSession(
  deps: accounts.Accounts & Pick<Deps, 'config' | 'now' | 'secrets' | 'transactions'>,
  token: string,
): Promise<SignedInStaff | null> {
  const found = await findSession(deps, token)
  if (found === null) return null
  const { account, ...session } = found
  const { role } = account as accounts.Account & Pick<Staff, 'role'>
  const mustAddFactor = account.secondFactor === null && requiresSecondFactor(deps.config, role)
  return { ...session, role, mustAddFactor }
}
