import type { mongo } from 'mongoose'
import { newPasswordLink, type PasswordLinkDeps } from '../accounts/passwords.ts'
import type { AuditAction } from '../audit/acts.ts'
import { type AuditContext, type AuditedDeps, runAudited } from '../audit/audited.ts'
import { lockBusinesses } from '../businesses/change-business.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import type { PersonRole } from './names.ts'
import { type Invitation, ownersFilter, type Person, roleIn } from './person.ts'

export type PeopleDeps = Pick<Models, 'Business' | 'Person' | 'Invitation'> & AuditedDeps

/** Why an act on people isn't possible. The pages and commands have the words. */
export type PeopleRefusal =
  | 'business-not-found'
  | 'not-found'
  | 'already-there'
  | 'no-owner'
  | 'last-owner'
  | 'too-many'
  | 'other-person'
  | 'repeated'

export class PeopleRefusedError extends Error {
  readonly why: PeopleRefusal

  constructor(why: PeopleRefusal) {
    super(why)
    this.why = why
  }
}

export async function lockPeople(
  deps: Pick<Models, 'Business'>,
  session: mongo.ClientSession,
  businessIds: readonly string[],
): Promise<void> {
  if ((await lockBusinesses(deps, session, businessIds)) < businessIds.length)
    throw new PeopleRefusedError('business-not-found')
}

/** Counts only owners who can sign in. */
export const hasOwner = async (
  { Person }: Pick<Models, 'Person'>,
  session: mongo.ClientSession,
  businessId: string,
  otherThan = '',
): Promise<boolean> => {
  const able = { _id: { $ne: otherThan }, disabledAt: null, passwordHash: { $ne: null } }
  const found = rawCollection(Person).findOne({ ...ownersFilter(businessId), ...able }, { session })
  return (await found) !== null
}

const isAbleOwner = ({ disabledAt, passwordHash, ...person }: Person, businessId: string): boolean =>
  disabledAt === null && passwordHash !== null && roleIn(person, businessId)?.role === 'owner'

async function keepOwner(deps: PeopleDeps, { session }: AuditContext, before: Person, after: Person) {
  for (const { businessId } of before.roles)
    if (isAbleOwner(before, businessId) && !isAbleOwner(after, businessId))
      if (!(await hasOwner(deps, session, businessId, before._id))) throw new PeopleRefusedError('last-owner')
}

/** Or an owner could come back through a link that they made before. */
export const endInvitations = async (
  { Invitation }: Pick<Models, 'Invitation'>,
  session: mongo.ClientSession,
  which: Partial<Invitation>,
  at: Date,
): Promise<number> => {
  const open = { ...which, endedAt: null, expiresAt: { $gt: at } }
  const set = { $set: { endedAt: at } }
  return (await rawCollection(Invitation).updateMany(open, set, { session })).modifiedCount
}

interface Change {
  act: AuditAction
  fields: Partial<Person>
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  businessId?: string
  /** Only the service itself may leave a business without an able owner. */
  mayLeaveNone?: true
}

/** Ends the person's sessions. `changeOf` returns null if nothing changes. Resolves to null if nobody has this id. */
export const changePerson = (
  deps: PeopleDeps,
  id: string,
  by: Author,
  changeOf: (found: Person, at: Date) => Change | null,
): Promise<Person | null> =>
  runAudited(deps, { documents: [id], by }, async (context) => {
    const { session, at, add } = context
    const found = await rawCollection(deps.Person).findOne({ _id: id }, { session })
    if (found === null) return null
    const change = changeOf(found, at)
    if (change === null) return found
    const { act, fields, businessId = null, mayLeaveNone, before = null, after = null } = change
    const changed = { ...found, ...fields, epoch: found.epoch + 1 }
    await lockPeople(deps, session, [...new Set(found.roles.map((held) => held.businessId))])
    if (!mayLeaveNone) await keepOwner(deps, context, found, changed)
    await rawCollection(deps.Person).replaceOne({ _id: id }, changed, { session })
    await endInvitations(deps, session, { invitedBy: id, ...(businessId && { businessId }) }, at)
    await add({ act, subject: id, businessId, before, after })
    return changed
  })

export const setPersonDisabled = (deps: PeopleDeps, id: string, disabled: boolean, by: Author) =>
  changePerson(deps, id, by, ({ disabledAt: before, roles }, at) => {
    if ((before !== null) === disabled) return null
    const disabledAt = disabled ? at : null
    const fields = disabled ? {} : { roles: unseen(roles, at) }
    return {
      act: disabled ? 'person.disabled' : 'person.enabled',
      fields: { disabledAt, link: null, ...fields },
      before: { disabledAt: before },
      after: { disabledAt },
    }
  })

/** The other owners see that staff let this owner in. */
const unseen = (roles: Person['roles'], at: Date): Person['roles'] =>
  roles.map((held) => (held.role === 'owner' ? { ...held, unseenSince: at } : held))

/** The old password and the second factor stop working. */
export async function resetPerson(deps: PeopleDeps & PasswordLinkDeps, id: string, by: Author) {
  const { link, url } = newPasswordLink(deps, resetPath)
  const person = await changePerson(deps, id, by, ({ roles }, at) => ({
    act: 'person.reset',
    fields: {
      link,
      passwordHash: null,
      passwordChangedAt: null,
      secondFactor: null,
      roles: unseen(roles, at),
    },
    after: { expiresAt: link.expiresAt },
    mayLeaveNone: true,
  }))
  return person && { name: person.name, link: url }
}

export const resetPath = '/portal/set-password'

/** `role` is null to remove the person from the business. */
export const changePersonRole = (
  deps: PeopleDeps,
  { id, businessId, role }: { id: string; businessId: string; role: PersonRole | null },
  by: Author,
): Promise<Person | null> =>
  changePerson(deps, id, by, ({ roles }, since) => {
    const before = roleIn({ roles }, businessId)
    if (before === null) throw new PeopleRefusedError('not-found')
    if (before.role === role) return null
    const others = roles.filter((held) => held !== before)
    const held = role === null ? [] : [{ businessId, role, since, unseenSince: null }]
    return {
      act: role === null ? 'person.removed' : 'person.role-changed',
      fields: { roles: [...others, ...held] },
      before: { role: before.role },
      after: { role },
      businessId,
    }
  })

/** An owner can't confirm their own return, and neither can one whom they let in. */
export const confirmOwnerSeen = (
  deps: PeopleDeps,
  { id, businessId, since }: { id: string; businessId: string; since: Date },
  by: Author,
): Promise<boolean> =>
  runAudited(deps, { documents: [id], by }, async ({ session, add }) => {
    if (by.actor.name === id) return false
    const unseenOwner = { businessId, role: 'owner' as const, unseenSince: { $gt: since } }
    const { modifiedCount } = await rawCollection(deps.Person).updateOne(
      { _id: id, roles: { $elemMatch: unseenOwner } },
      { $set: { 'roles.$.unseenSince': null } },
      { session },
    )
    if (modifiedCount > 0) await add({ act: 'person.confirmed', subject: id, businessId })
    return modifiedCount > 0
  })
