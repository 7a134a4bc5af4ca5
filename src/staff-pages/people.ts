import { html } from 'ghtml'
import { findLastSignIns } from '../accounts/sessions.ts'
import { pagingLinks } from '../http/pages/table.ts'
import {
  listInvitations,
  listPeople,
  lookUpPerson,
  type OpenInvitation,
  type PersonFacts,
} from '../people/list-people.ts'
import { withPeopleAccounts } from '../people/person.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission } from '../staff/permissions.ts'
import { describePassword } from '../staff-acts/account-acts.ts'
import { personActions, personListActions } from '../staff-acts/person-acts.ts'
import { invitationDisplay, type PageField, personDisplay } from '../staff-acts/shown.ts'
import { linkActions, renderDoneNotice } from './act-routes.ts'
import { renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import * as paths from './paths.ts'
import { renderFacts, renderTable } from './table.ts'

const pageSize = 50
export const peoplePath = '/admin/people'

type Reads = 'Invitation' | 'Person' | 'PersonSession' | 'now'

/** With the parameter `business`, only the people of this business. */
export const peoplePage: StaffPage<Reads> = async (deps, { query, staff }) => {
  const [businessId, after] = [paths.readQueryText(query, 'business'), paths.readQueryText(query, 'after')]
  const filter = businessId === '' ? {} : { businessId }
  const { items, next } = await listPeople(deps, filter, { limit: pageSize, after: after || null })
  const invitations = businessId === '' ? [] : await listInvitations(deps, businessId)
  const none = html`<p class="notice" role="status">Nobody has a role here yet.</p>`
  const body = html`<h1>People</h1>
    !${businessId === '' ? '' : html`<p>Only people of the business !${paths.businessLink(businessId)}. <a href="${peoplePath}">Show all</a></p>`}
    !${items.length === 0 ? none : renderTable(columns, items, { isTight: true })}
    !${pagingLinks((id) => paths.withQuery(peoplePath, { business: businessId, after: id }), after === '', next, ['First page', 'Next page'])}
    !${invitations.length === 0 ? '' : html`<h2>Open invitations</h2>!${renderTable(invitationColumns(staff), invitations, { isTight: true })}`}
    !${linkActions(personListActions, '', {}, staff)}`
  return { title: 'People', current: peoplePath, body }
}

const rolesOf = ({ roles }: PersonFacts) =>
  roles.map(
    ({ businessId, role, since }) =>
      html`<div>${role} of !${paths.businessLink(businessId)} since !${renderTime(since)}</div>`,
  )

const roles: PageField<PersonFacts> = { ...personDisplay.roles, html: (person) => rolesOf(person).join('') }

const columns: PageField<PersonFacts>[] = [
  { ...personDisplay.name, html: ({ id, name }) => paths.textLink(paths.personPath(id), name) },
  roles,
  personDisplay.state,
  personDisplay.secondFactor,
  personDisplay.createdAt,
]

const invitationPath = paths.pathsBelow('people/invitation')

const invitationColumns = (staff: SignedInStaff): PageField<OpenInvitation>[] => [
  invitationDisplay.name,
  invitationDisplay.role,
  invitationDisplay.expiresAt,
  {
    label: 'Action',
    html: ({ _id }) =>
      hasPermission(staff, 'change-people') ? paths.textLink(`${invitationPath(_id)}/cancel`, 'Cancel…') : '',
  },
]

export const personPage: StaffPage<Reads> = async (deps, { id, query, staff }) => {
  const person = await lookUpPerson(deps, id)
  if (person === null) return null
  const signIns = await findLastSignIns(withPeopleAccounts(deps), [person.id])
  const lastSignInAt = signIns.get(person.id)
  const body = html`<h1>Person <bdi>${person.name}</bdi></h1>
    !${renderDoneNotice(personActions, person, query)}
    <dl class="facts card">
      !${renderFacts(person, [roles, personDisplay.state, personDisplay.secondFactor])}
      <dt>Password</dt><dd>!${describePassword(person, renderTime)}</dd>
      <dt>Last sign-in</dt><dd>!${lastSignInAt === undefined ? 'none in 30 days' : renderTime(lastSignInAt)}</dd>
      !${renderFacts(person, [personDisplay.createdAt, personDisplay.id])}
      <dt>Audit trail</dt><dd><a href="${paths.auditPath({ who: person.id })}">show what this person did</a>, <a href="${paths.auditPath({ subject: person.id })}">show the changes to this person</a></dd>
    </dl>
    !${linkActions(personActions, person.id, person, staff)}`
  return { title: `Person ${person.name}`, body }
}
