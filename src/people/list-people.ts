import { type IdPageRequest, mapIdPage, readPageById } from '../mongo/id-page.ts'
import type { Deps } from '../platform/deps.ts'
import { type PersonRole, readPersonName } from './names.ts'
import { type HeldRole, type Invitation, type Person } from './person.ts'

export interface PersonFacts extends Pick<Person, 'name' | 'disabledAt' | 'createdAt' | 'passwordChangedAt'> {
  id: string
  roles: HeldRole[]
  secondFactor: boolean
  linkExpiresAt: Date | null
}

export type OpenInvitation = Pick<Invitation, '_id' | 'businessId' | 'role' | 'name' | 'expiresAt'>

type ListDeps = Pick<Deps, 'Person' | 'now'>

export interface PersonFilter {
  businessId?: string
  role?: PersonRole
}

export async function listPeople(deps: ListDeps, { businessId, role }: PersonFilter, slice: IdPageRequest) {
  const held = { ...(businessId && { businessId }), ...(role && { role }) }
  const where = Object.keys(held).length === 0 ? {} : { roles: { $elemMatch: held } }
  const page = await readPageById(deps.Person, where, slice)
  return mapIdPage(page, (person) => personFacts(person, deps.now()))
}

/** Takes an id, an e-mail address or a phone number. */
export async function lookUpPerson(deps: ListDeps, idOrName: string): Promise<PersonFacts | null> {
  const name = readPersonName(idOrName)
  const ways = [{ _id: idOrName }, ...(name === null ? [] : [{ name }])]
  const person = await deps.Person.findOne({ $or: ways }).lean<Person | null>()
  return person === null ? null : personFacts(person, deps.now())
}

export async function lookUpMember(
  deps: ListDeps,
  businessId: string,
  id: string,
): Promise<PersonFacts | null> {
  const person = await deps.Person.findOne({ _id: id, 'roles.businessId': businessId }).lean<Person | null>()
  return person === null ? null : personFacts(person, deps.now())
}

const openInvitations = ({ Invitation, now }: Pick<Deps, 'Invitation' | 'now'>, which: Partial<Invitation>) =>
  Invitation.find({ ...which, endedAt: null, expiresAt: { $gt: now() } })
    .sort({ createdAt: -1 })
    .lean<OpenInvitation[]>()
    .exec()

type InvitationDeps = Parameters<typeof openInvitations>[0]

export const listInvitations = (deps: InvitationDeps, businessId: string): Promise<OpenInvitation[]> =>
  openInvitations(deps, { businessId })

export const lookUpInvitation = async (deps: InvitationDeps, _id: string): Promise<OpenInvitation | null> =>
  (await openInvitations(deps, { _id }))[0] ?? null

function personFacts({ _id: id, link, secondFactor, ...person }: Person, now: Date): PersonFacts {
  const { name, roles, disabledAt, createdAt, passwordChangedAt } = person
  const linkExpiresAt = link !== null && link.expiresAt > now ? link.expiresAt : null
  const kept = { name, roles, disabledAt, createdAt, passwordChangedAt }
  return { id, ...kept, secondFactor: secondFactor !== null, linkExpiresAt }
}

/** Owners whom staff let in after `since`, and whom no other owner has confirmed. */
export async function listUnseenOwners(
  { Person: people }: Pick<Deps, 'Person'>,
  businessId: string,
  { id: otherThan, since }: { id: string; since: Date },
): Promise<Pick<PersonFacts, 'id' | 'name'>[]> {
  const unseen = { businessId, role: 'owner' as const, unseenSince: { $gt: since } }
  const found = await people.find({ roles: { $elemMatch: unseen }, _id: { $ne: otherThan } }).lean<Person[]>()
  return found.map(({ _id: id, name }) => ({ id, name }))
}

/** By id. Includes people who have left, because their payments stay. */
export async function readPersonNames(
  { Person: people }: Pick<Deps, 'Person'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await people.find({ _id: { $in: ids } }, { name: 1 }).lean<Pick<Person, '_id' | 'name'>[]>()
  return new Map(found.map(({ _id, name }) => [_id, name]))
}
