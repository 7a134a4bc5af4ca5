import * as passwords from '../accounts/passwords.ts'
import type { IdentityProofFailure } from '../accounts/proof.ts'
import { byAccount, type SignedIn } from '../accounts/sessions.ts'
import type { SignInChecks } from '../accounts/sign-in-limit.ts'
import { type AuditContext, runAudited } from '../audit/audited.ts'
import { nullIfDuplicate, rawCollection } from '../mongo/collection.ts'
import { newId } from '../platform/ids.ts'
import type { Author } from '../security/actor.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import { endInvitations, hasOwner, lockPeople, type PeopleDeps, PeopleRefusedError } from './change-people.ts'
import type { PersonRole } from './names.ts'
import { type Invitation, type Person, roleIn, withPeopleAccounts } from './person.ts'

export const invitationPath = '/portal/invitation'

export const maxPeople = 100
const maxOpenInvitations = 20
/** Bounds the document of a person who works for many businesses. */
const maxRoles = 50

interface NewInvitation {
  businessId: string
  role: PersonRole
  name: string
  /** Identifies the form, so that the same one never makes two links. */
  form?: string
}

/** The link works once, until a newer one. Only its hash is stored. */
export const invitePerson = (
  deps: PeopleDeps & passwords.PasswordLinkDeps,
  { businessId, role, name, form }: NewInvitation,
  by: Author,
): Promise<{ id: string; link: string }> => {
  const { link, url } = passwords.newPasswordLink(deps, invitationPath)
  return runAudited(deps, { documents: [businessId], by }, async (context) => {
    const { session, at, add } = context
    await lockPeople(deps, session, [businessId])
    const ofForm = form !== undefined && { businessId, form }
    if (ofForm && (await rawCollection(deps.Invitation).findOne(ofForm, { session })) !== null)
      throw new PeopleRefusedError('repeated')
    await endInvitations(deps, session, { businessId, name }, at)
    await checkInvitation(deps, context, { businessId, role, name })
    const [id, invitedBy] = [newId(), by.actor.kind === 'person' ? by.actor.name : null]
    const made = { _id: id, businessId, role, name, invitedBy, createdAt: at, endedAt: null, ...link }
    await rawCollection(deps.Invitation).insertOne({ ...made, ...ofForm }, { session })
    await add({ act: 'person.invited', subject: id, businessId, after: { role, name } })
    return { id, link: url }
  })
}

async function checkInvitation(deps: PeopleDeps, { session, at }: AuditContext, invited: NewInvitation) {
  const { businessId, role, name } = invited
  const people = rawCollection(deps.Person)
  const inBusiness = { 'roles.businessId': businessId }
  if ((await people.findOne({ name, ...inBusiness }, { session })) !== null)
    throw new PeopleRefusedError('already-there')
  if (role !== 'owner' && !(await hasOwner(deps, session, businessId)))
    throw new PeopleRefusedError('no-owner')
  const open = { businessId, endedAt: null, expiresAt: { $gt: at } }
  const invitationCount = await rawCollection(deps.Invitation).countDocuments(open, { session })
  const count = await people.countDocuments(inBusiness, { session })
  if (invitationCount >= maxOpenInvitations || count + invitationCount >= maxPeople)
    throw new PeopleRefusedError('too-many')
}

export const cancelInvitation = (
  deps: PeopleDeps,
  { id, businessId }: { id: string; businessId: string },
  by: Author,
): Promise<boolean> =>
  runAudited(deps, { documents: [id], by }, async ({ session, at, add }) => {
    const count = await endInvitations(deps, session, { _id: id, businessId }, at)
    if (count > 0) await add({ act: 'person.invitation-cancelled', subject: id, businessId })
    return count > 0
  })

/** Opening a link doesn't use it up, because chat programs preview links. */
export const findInvitation = (
  { Invitation, now }: Pick<PeopleDeps, 'Invitation' | 'now'>,
  token: string,
): Promise<Invitation | null> =>
  Invitation.findOne({ hash: passwords.hashOfToken(token), endedAt: null, expiresAt: { $gt: now() } })
    .lean<Invitation | null>()
    .exec()

export type JoinResult =
  | { outcome: 'joined'; person: Person; businessId: string }
  /** The name has an account, so only a session of it may accept. */
  | { outcome: 'must-sign-in' }
  | { outcome: 'invalid'; fault: passwords.PasswordFault }
  | IdentityProofFailure

type JoinDeps = PeopleDeps & Parameters<typeof withPeopleAccounts>[0]

/** Creates the account. `refused` means that the link isn't valid. */
export async function joinWithPassword(
  deps: JoinDeps & Pick<SignInChecks, 'countAttempt'> & { slowHash: SlowHash },
  { token, password, ip }: { token: string; password: string; ip: string },
): Promise<JoinResult> {
  const invitation = await findInvitation(deps, token)
  if (invitation === null) return { outcome: 'refused' }
  const { name } = invitation
  if ((await deps.Person.exists({ name })) !== null) return { outcome: 'must-sign-in' }
  const fault = passwords.passwordFault(name, password)
  if (fault !== null) return { outcome: 'invalid', fault }
  // Without a limit, a link's holder could cause any number of slow hashes.
  const attempt = await deps.countAttempt(name, ip)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  const passwordHash = await deps.slowHash.make(password)
  const id = newId()
  const result = await join(deps, token, byAccount(withPeopleAccounts(deps), id, ip), async ({ at }) => {
    const access = { passwordHash, link: null, secondFactor: null, passwordChangedAt: at }
    return { _id: id, name, roles: [], ...access, epoch: 0, disabledAt: null, createdAt: at }
  })
    .catch(nullIfDuplicate)
    .catch(async (error: unknown) => {
      await attempt.takeBack(false)
      throw error
    })
  if (result?.outcome !== 'refused') await attempt.takeBack(true)
  return result ?? { outcome: 'must-sign-in' }
}

/** Only the person who was invited may accept. Their sessions end. */
export const joinSignedIn = (
  deps: JoinDeps,
  { token, person, ip }: { token: string; person: SignedIn; ip: string },
): Promise<JoinResult> => {
  const by = { ...byAccount(withPeopleAccounts(deps), person.id, ip), expectValid: person.expectValid }
  return join(deps, token, by, ({ session }, { name }) =>
    rawCollection(deps.Person).findOne({ _id: person.id, name, disabledAt: null }, { session }),
  )
}

const join = (
  deps: JoinDeps,
  token: string,
  by: Author,
  findPerson: (context: AuditContext, invitation: Invitation) => Promise<Person | null>,
): Promise<JoinResult> =>
  runAudited<JoinResult>(deps, { documents: [by.actor.name], by }, async (context) => {
    const { session, at, add } = context
    const valid = { hash: passwords.hashOfToken(token), endedAt: null, expiresAt: { $gt: at } }
    const used = { $set: { endedAt: at } }
    const invitation = await rawCollection(deps.Invitation).findOneAndUpdate(valid, used, { session })
    if (invitation === null) return { outcome: 'refused' }
    const { _id, businessId, role, invitedBy } = invitation
    const before = await findPerson(context, invitation)
    if (before === null) throw new PeopleRefusedError('other-person')
    if (roleIn(before, businessId) !== null) throw new PeopleRefusedError('already-there')
    if (before.roles.length >= maxRoles) throw new PeopleRefusedError('too-many')
    await lockPeople(deps, session, [businessId])
    if (role !== 'owner' && !(await hasOwner(deps, session, businessId)))
      throw new PeopleRefusedError('no-owner')
    const unseenSince = role === 'owner' && invitedBy === null ? at : null
    const held = { businessId, role, since: at, unseenSince }
    const person = { ...before, roles: [...before.roles, held], epoch: before.epoch + 1 }
    const people = rawCollection(deps.Person)
    await people.replaceOne({ _id: person._id }, person, { session, upsert: true })
    const about = { subject: person._id, businessId, after: { role, invitation: _id } }
    await add({ act: 'person.joined', ...about })
    return { outcome: 'joined', person, businessId }
  })
