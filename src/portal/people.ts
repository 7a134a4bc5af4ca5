import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { inputField } from '../http/pages/forms.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { isolateText, renderTime } from '../http/pages/text.ts'
import { changePersonRole } from '../people/change-people.ts'
import { cancelInvitation, invitePerson, maxPeople } from '../people/invite.ts'
import * as facts from '../people/list-people.ts'
import { type PersonRole, personRoles, readPersonName } from '../people/names.ts'
import { roleIn } from '../people/person.ts'
import { addForm, type FormPage } from '../people-pages/form.ts'
import type { PersonPage } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import { hasRight, type Visit } from '../people-pages/visit.ts'
import * as settings from './settings.ts'

const list = '/people'
const right = 'change-people'

export function addPeoplePages(router: Router): void {
  router.get(list, serveVisit('read-people', peoplePage))
  addForm(router, inviteForm)
  addForm(router, cancelForm)
  addForm(router, roleForm)
  addForm(router, removeForm)
}

type Member = facts.PersonFacts & { role: PersonRole }

async function findPerson({ deps, caller, req }: Visit): Promise<Member | null> {
  const person = await facts.lookUpMember(deps, caller.businessId, String(req.params['id']))
  const role = person && roleIn(person, caller.businessId)?.role
  return person && role ? { ...person, role } : null
}

async function findInvitation({ deps, caller, req }: Visit): Promise<facts.OpenInvitation | null> {
  const open = await facts.listInvitations(deps, caller.businessId)
  return open.find(({ _id }) => _id === req.params['id']) ?? null
}

async function peoplePage(visit: Visit): Promise<PersonPage> {
  const { res, caller, base } = visit
  const { words } = settings.settingsLocaleOf(res)
  const { people } = words
  const { businessId } = caller
  const { items, invitations } = await settings.readOwn(visit, async (deps) => ({
    ...(await facts.listPeople(deps, { businessId }, { limit: maxPeople, after: null })),
    invitations: await facts.listInvitations(deps, businessId),
  }))
  const look = { label: words.sections.people, isTight: true }
  const open = html`<h2>${people.invitations}</h2>
!${renderTable(invitationColumns(visit), invitations, { label: people.invitations, isTight: true })}`
  const body = html`<h1>${words.sections.people}</h1><p>${people.aboutRoles}</p>
!${hasRight(visit, right) ? html`<p><a class="button" href="${base}${list}/invite">${people.invite}</a></p>` : ''}
!${renderTable(memberColumns(visit), items, look)}
!${invitations.length === 0 ? '' : open}`
  return { title: words.sections.people, body, current: base + list }
}

function invitationColumns(visit: Visit): TableColumn<facts.OpenInvitation>[] {
  const locale = settings.settingsLocaleOf(visit.res)
  const { people, roles } = locale.words
  return [
    [people.name, ({ name }) => isolateText(name)],
    [people.role, ({ role }) => html`${roles[role]}`],
    [people.validUntil, ({ expiresAt }) => renderTime(locale, expiresAt)],
    ...settings.actionColumn(visit, right, list, ({ _id }: facts.OpenInvitation) => ({
      [`invitations/${_id}/cancel`]: people.cancel,
    })),
  ]
}

function memberColumns(visit: Visit): TableColumn<facts.PersonFacts>[] {
  const { res, member, caller } = visit
  const { people, roles } = settings.settingsLocaleOf(res).words
  const own = ({ id }: facts.PersonFacts) => (id === member.person.id ? ` (${people.you})` : '')
  const roleOf = (person: facts.PersonFacts) => roleIn(person, caller.businessId)?.role ?? 'cashier'
  const state = ({ disabledAt, passwordChangedAt }: facts.PersonFacts) =>
    disabledAt !== null ? people.disabled : passwordChangedAt === null ? people.noPassword : people.enabled
  return [
    [people.name, (person) => html`!${isolateText(person.name)}${own(person)}`],
    [people.role, (person) => html`${roles[roleOf(person)]}`],
    [people.secondFactor, (person) => html`${person.secondFactor ? people.yes : people.no}`],
    [people.state, (person) => html`${state(person)}`],
    ...settings.actionColumn(visit, right, list, ({ id }: facts.PersonFacts) => ({
      [`${id}/role`]: people.changeRole,
      [`${id}/remove`]: people.remove,
    })),
  ]
}

const textsOf = ({ res }: Visit) => settings.settingsLocaleOf(res).words.people

function roleField({ res }: Visit, value: string, fault?: string): string {
  const { people, roles } = settings.settingsLocaleOf(res).words
  const choices = Object.fromEntries(personRoles.map((role) => [role, roles[role]]))
  return inputField('role', { label: people.role, hint: people.aboutRoles, choices, value, fault })
}

const readRole = (text: string): PersonRole | undefined => personRoles.find((role) => role === text)

const nameAttributes = 'dir="ltr" autocomplete="off" autocapitalize="none" maxlength="254" required'

const inviteForm: FormPage<object> = {
  right,
  path: `${list}/invite`,
  find: async () => ({}),
  show(visit, _found, faults) {
    const { name: label, nameHint: hint, invite: title, makeLink: button, inviting: busy } = textsOf(visit)
    const { name, role } = settings.typedOr(visit, { name: '', role: 'cashier' })
    const typed = { label, hint, value: name, fault: faults.name, attributes: nameAttributes }
    const fields = inputField('name', typed) + roleField(visit, role, faults.role)
    return { title, fields, button, busy }
  },
  async act(visit, _found, keyOf) {
    const { deps, req, res, caller } = visit
    const { people, share, copy, copied } = settings.settingsLocaleOf(res).words
    const typed = readFormFields(req, 'name', 'role')
    const [name, role] = [readPersonName(typed.name), readRole(typed.role)]
    if (name === null) return { faults: { name: people.badName } }
    if (role === undefined) return { faults: { role: people.badRole } }
    const invited = { businessId: caller.businessId, role, name, form: keyOf() }
    const result = await settings.runOwnAct(visit, (by) => invitePerson(deps, invited, by))
    if ('notice' in result) return result
    const { link } = result.done
    const more = html`!${settings.secretText(link)}
<p><button hidden data-share="${link}" data-copy="${copy}" data-copied="${copied}">${share}</button></p>`
    return settings.notePage(visit, { title: people.invited(name), notice: people.linkOnce, more, list })
  },
}

const cancelForm: FormPage<facts.OpenInvitation> = {
  right,
  path: `${list}/invitations/:id/cancel`,
  find: findInvitation,
  show(visit, { name }) {
    const { cancelTitle: title, cancelText, cancelIt: button, cancelling: busy } = textsOf(visit)
    return { title, fields: html`<p>${cancelText(name)}</p>`, button, busy, isDanger: true }
  },
  act: (visit, { _id: id, businessId }) =>
    settings.runOwnAct(
      visit,
      (by) => cancelInvitation(visit.deps, { id, businessId }, by),
      (isCancelled) => isCancelled,
    ),
}

const roleForm: FormPage<Member> = {
  right,
  path: `${list}/:id/role`,
  find: findPerson,
  show(visit, { name, role }, faults) {
    const { changeRoleTitle, changeRole: button, changing: busy, sessionsEnd } = textsOf(visit)
    const fields = roleField(visit, role, faults.role) + html`<p>${sessionsEnd}</p>`
    return { title: changeRoleTitle(name), fields, button, busy }
  },
  async act(visit, person) {
    const role = readRole(readFormFields(visit.req, 'role').role)
    if (role === undefined) return { faults: { role: textsOf(visit).badRole } }
    return role === person.role ? { done: true } : setRole(visit, person, role)
  },
}

const removeForm: FormPage<Member> = {
  right,
  path: `${list}/:id/remove`,
  find: findPerson,
  show(visit, { name }) {
    const { removeTitle, removeText, remove: button, removing: busy } = textsOf(visit)
    return { title: removeTitle(name), fields: html`<p>${removeText}</p>`, button, busy, isDanger: true }
  },
  act: (visit, person) => setRole(visit, person, null),
}

const setRole = (visit: Visit, { id }: Member, role: PersonRole | null) =>
  settings.runOwnAct(visit, (by) =>
    changePersonRole(visit.deps, { id, businessId: visit.caller.businessId, role }, by),
  )
