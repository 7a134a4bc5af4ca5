import * as accounts from '../accounts/account.ts'
import { signInLimits } from '../accounts/sign-in-limit.ts'
import { declareCollection, indexIfPresent, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import type { Deps } from '../platform/deps.ts'
import { type PersonRole, readPersonName } from './names.ts'

const roleFields = field.part({
  businessId: field.text,
  role: field.oneOf<PersonRole>(),
  since: field.date,
  /** Set if staff let this owner in. Another owner confirms having seen it. */
  unseenSince: field.orNull(field.date),
})
export type HeldRole = field.ValueOfField<typeof roleFields>

export const people = declareCollection({
  name: 'people',
  kept: 'forever',
  fields: {
    ...accounts.accountFields,
    /** A normalised e-mail address or phone number, to sign in with. */
    name: field.text,
    roles: field.list(roleFields),
  },
  indexes: [
    { name: 'name', key: { name: 1 }, unique: true },
    { name: 'byBusiness', key: { 'roles.businessId': 1, name: 1 } },
    { name: 'byLink', key: { 'link.hash': 1 }, ...indexIfPresent('link.hash') },
  ],
})
export type Person = Stored<typeof people>

export const peopleSessions = declareCollection({
  name: 'peoplesessions',
  kept: 'until it expires, 30 days after sign-in',
  fields: { ...accounts.sessionFields, personId: field.text },
  indexes: [
    { name: 'removal', key: { createdAt: 1 }, expireAfterSeconds: accounts.sessionRemovedAfterSeconds },
    { name: 'byPerson', key: { personId: 1, createdAt: -1 } },
  ],
})

const removedAfterSeconds = 30 * 86_400

export const invitations = declareCollection({
  name: 'invitations',
  kept: 'until it expires, 30 days after its link',
  fields: {
    _id: field.text,
    /** A hash of the token in the link. */
    hash: field.secret(field.text),
    businessId: field.text,
    role: field.oneOf<PersonRole>(),
    name: field.text,
    /** The owner who invited the person. Null for the service itself. */
    invitedBy: field.orNull(field.text),
    createdAt: field.date,
    expiresAt: field.date,
    /** When it was used or cancelled. */
    endedAt: field.orNull(field.date),
    /** Identifies the form on which an owner made it. */
    form: field.optional(field.text),
  },
  indexes: [
    { name: 'hash', key: { hash: 1 }, unique: true },
    { name: 'byBusiness', key: { businessId: 1, createdAt: -1 } },
    { name: 'byInviter', key: { invitedBy: 1 } },
    { name: 'removal', key: { expiresAt: 1 }, expireAfterSeconds: removedAfterSeconds },
  ],
})
export type Invitation = Stored<typeof invitations>

const accountKind: accounts.AccountKind = {
  noun: 'person',
  collection: people.name,
  sessionCollection: peopleSessions.name,
  owner: 'personId',
  nameField: 'name',
  readName: readPersonName,
}

/** Cashiers share their operator's address with many strangers. */
export const personSignInLimits = signInLimits('person-sign-in', 'people', 1000)

/** Inherits from `deps`, whose models are created on first use. */
export const withPeopleAccounts = <D extends Pick<Deps, 'Person' | 'PersonSession'>>(
  deps: D,
): D & accounts.Accounts =>
  Object.create(deps, {
    Account: { get: () => deps.Person },
    AccountSession: { get: () => deps.PersonSession },
    accountKind: { value: accountKind },
  })

export const roleIn = ({ roles }: Pick<Person, 'roles'>, businessId: string): HeldRole | null =>
  roles.find((held) => held.businessId === businessId) ?? null

export const ownersFilter = (businessId: string) => ({
  roles: { $elemMatch: { businessId, role: 'owner' as const } },
})
