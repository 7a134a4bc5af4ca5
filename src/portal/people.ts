import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { isolateText } from '../http/pages/text.ts'
import { changePersonRole } from '../people/change-people.ts'
import { cancelInvitation, invitePerson, maxPeople } from '../people/invite.ts'
import {
  listInvitations,
  listPeople,
  lookUpMember,
  type OpenInvitation,
  type PersonFacts,
} from '../people/list-people.ts'
import { type PersonRole, personRoles, readPersonName, roleIn } from '../people/person.ts'
import type { PersonPage } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, hasRight, type Visit } from '../people-pages/visit.ts'
import { newId } from '../platform/ids.ts'
import { formPage, readOwn, runOwnAct, settingsLocaleOf } from './settings.ts'

const list = '/people'

export function addPeoplePages(router: Router): void {
  router.get(list, serveVisit('read-people', peoplePage))
  for (const [path, page, act] of [
    ['/invite', async (visit: Visit) => invitePage(visit), invite],
    ['/invitations/:id/cancel', withInvitation(cancelPage), withInvitation(cancel)],
    ['/:id/role', withPerson(rolePage), withPerson(changeRole)],
    ['/:id/remove', withPerson(removePage), withPerson(remove)],
  ] as const) {
    router.get(list + path, serveVisit('change-people', page))
    router.post(list + path, serveVisit('change-people', act))
  }
}

type Handler<Found> = (visit: Visit, found: Found) => VisitResult | Promise<VisitResult>

interface Member extends PersonFacts {
  role: PersonRole
}

const withPerson = (handle: Handler<Member>) => async (visit: Visit) => {
  const { deps, caller, req } = visit
  const person = await lookUpMember(deps, caller.businessId, String(req.params['id']))
  const role = person && roleIn(person, caller.businessId)?.role
  return person && role ? handle(visit, { ...person, role }) : null
}

const withInvitation = (handle: Handler<OpenInvitation>) => async (visit: Visit) => {
  const { deps, caller, req } = visit
  const open = await listInvitations(deps, caller.businessId)
  const found = open.find(({ _id }) => _id === req.params['id'])
  return found === undefined ? null : handle(visit, found)
}

async function peoplePage(visit: Visit): Promise<PersonPage> {
  const { res, caller, base } = visit
  const { words, moment } = settingsLocaleOf(res)
  const { people } = words
  const { businessId } = caller
  const { items, invitations } = await readOwn(visit, async (deps) => ({
    ...(await listPeople(deps, { businessId }, { limit: maxPeople, after: null })),
    invitations: await listInvitations(deps, businessId),
  }))
  const mayChange = hasRight(visit, 'change-people')
  const open: TableColumn<OpenInvitation>[] = [
    { label: people.name, html: ({ name }) => isolateText(name) },
    { label: people.role, html: ({ role }) => html`${words.roles[role]}` },
    { label: people.validUntil, html: ({ expiresAt }) => html`${moment(expiresAt)}` },
    ...(mayChange
      ? [
          {
            label: words.actions,
            isAction: true,
            html: ({ _id }: OpenInvitation) =>
              html`<a href="${base}${list}/invitations/${_id}/cancel">${people.cancel}</a>`,
          },
        ]
      : []),
  ]
  const body = html`<h1>${words.sections.people}</h1><p>${people.aboutRoles}</p>
!${mayChange ? html`<p><a class="button" href="${base}${list}/invite">${people.invite}</a></p>` : ''}
!${renderTable(memberColumns(visit, mayChange), items, { label: words.sections.people, isTight: true })}
!${invitations.length === 0 ? '' : html`<h2>${people.invitations}</h2>!${renderTable(open, invitations, { label: people.invitations, isTight: true })}`}`
  return { title: words.sections.people, body, current: base + list }
}

function memberColumns(visit: Visit, mayChange: boolean): TableColumn<PersonFacts>[] {
  const { base, res, member, caller } = visit
  const { words } = settingsLocaleOf(res)
  const { people } = words
  const own = ({ id }: PersonFacts) => (id === member.person.id ? ` (${people.you})` : '')
  const roleOf = (person: PersonFacts) => roleIn(person, caller.businessId)?.role
  const state = ({ disabledAt, passwordChangedAt }: PersonFacts) =>
    disabledAt !== null ? people.disabled : passwordChangedAt === null ? people.noPassword : people.enabled
  const action = {
    label: words.actions,
    isAction: true,
    html: ({ id }: PersonFacts) =>
      html`<a href="${base}${list}/${id}/role">${people.changeRole}</a> <a href="${base}${list}/${id}/remove">${people.remove}</a>`,
  }
  return [
    { label: people.name, html: (person) => html`!${isolateText(person.name)}${own(person)}` },
    { label: people.role, html: (person) => html`${words.roles[roleOf(person) ?? 'cashier']}` },
    {
      label: people.secondFactor,
      html: ({ secondFactor }) => html`${secondFactor ? people.yes : people.no}`,
    },
    { label: people.state, html: (person) => html`${state(person)}` },
    ...(mayChange ? [action] : []),
  ]
}

function roleField({ res }: Visit, value: string, fault?: string): string {
  const { people, roles } = settingsLocaleOf(res).words
  const choices = Object.fromEntries(personRoles.map((role) => [role, roles[role]]))
  return inputField('role', { label: people.role, hint: people.aboutRoles, choices, value, fault })
}

const readRole = (text: string): PersonRole | undefined => personRoles.find((role) => role === text)

function invitePage(
  visit: Visit,
  typed = { form: newId(), name: '', role: 'cashier' },
  messages: FormMessages = {},
): PersonPage {
  const { people } = settingsLocaleOf(visit.res).words
  const { faults = {} } = messages
  const fields = html`!${renderHiddenInput('form', typed.form)}
!${inputField('name', {
    label: people.name,
    hint: people.nameHint,
    value: typed.name,
    fault: faults.name,
    attributes: 'dir="ltr" autocomplete="off" autocapitalize="none" maxlength="254" required',
  })}!${roleField(visit, typed.role, faults.role)}`
  const texts = { title: people.invite, button: people.makeLink, busy: people.inviting }
  return formPage(visit, { path: `${list}/invite`, ...texts, fields, list }, messages)
}

async function invite(visit: Visit): Promise<VisitResult> {
  const { deps, req, res, caller } = visit
  const { people } = settingsLocaleOf(res).words
  const typed = readFormFields(req, 'form', 'name', 'role')
  const [name, role] = [readPersonName(typed.name), readRole(typed.role)]
  const again = (messages: FormMessages) => invitePage(visit, typed, messages)
  if (name === null || role === undefined)
    return again({
      faults: {
        ...(name === null && { name: people.badName }),
        ...(role === undefined && { role: people.badRole }),
      },
    })
  const invited = { businessId: caller.businessId, role, name, form: formKey(visit, typed.form) }
  const result = await runOwnAct(visit, (by) => invitePerson(deps, invited, by))
  return 'notice' in result ? again(result) : linkPage(visit, name, result.done.link)
}

function linkPage({ res, base }: Visit, name: string, link: string): PersonPage {
  const { people, back, share, copy, copied } = settingsLocaleOf(res).words
  const title = people.invited(name)
  const body = html`<h1>${title}</h1><p class="notice good" role="status">${people.linkOnce}</p>
<pre class="card secret" dir="ltr">${link}</pre>
<button hidden data-share="${link}" data-copy="${copy}" data-copied="${copied}">${share}</button>
<p><a href="${base}${list}">${back}</a></p>`
  return { title, body, current: base + list, isNarrow: true }
}

function cancelPage(visit: Visit, { _id, name }: OpenInvitation, messages: FormMessages = {}): PersonPage {
  const { people } = settingsLocaleOf(visit.res).words
  const texts = { title: people.cancelTitle, button: people.cancelIt, busy: people.cancelling }
  const fields = html`<p>${people.cancelText(name)}</p>`
  const path = `${list}/invitations/${_id}/cancel`
  return formPage(visit, { path, ...texts, fields, list, isDanger: true }, messages)
}

async function cancel(visit: Visit, invitation: OpenInvitation): Promise<VisitResult> {
  const { deps, base } = visit
  const { _id: id, businessId } = invitation
  const result = await runOwnAct(
    visit,
    (by) => cancelInvitation(deps, { id, businessId }, by),
    (isCancelled) => isCancelled,
  )
  return 'notice' in result ? cancelPage(visit, invitation, result) : { to: base + list }
}

function rolePage(visit: Visit, { id, name, role }: Member, messages: FormMessages = {}): PersonPage {
  const { people } = settingsLocaleOf(visit.res).words
  const title = people.changeRoleTitle(name)
  const texts = { title, button: people.changeRole, busy: people.changing }
  const fields = roleField(visit, role) + html`<p>${people.sessionsEnd}</p>`
  return formPage(visit, { path: `${list}/${id}/role`, ...texts, fields, list }, messages)
}

async function changeRole(visit: Visit, person: Member): Promise<VisitResult> {
  const { people } = settingsLocaleOf(visit.res).words
  const role = readRole(readFormFields(visit.req, 'role').role)
  if (role === undefined) return rolePage(visit, person, { faults: { role: people.badRole } })
  const result = await setRole(visit, person, role)
  return 'notice' in result ? rolePage(visit, person, result) : result
}

function removePage(visit: Visit, { id, name }: Member, messages: FormMessages = {}): PersonPage {
  const { people } = settingsLocaleOf(visit.res).words
  const texts = { title: people.removeTitle(name), button: people.remove, busy: people.removing }
  const fields = html`<p>${people.removeText}</p>`
  return formPage(visit, { path: `${list}/${id}/remove`, ...texts, fields, list, isDanger: true }, messages)
}

async function remove(visit: Visit, person: Member): Promise<VisitResult> {
  const result = await setRole(visit, person, null)
  return 'notice' in result ? removePage(visit, person, result) : result
}

async function setRole(visit: Visit, { id }: Member, role: PersonRole | null) {
  const { deps, caller, base } = visit
  const { businessId } = caller
  const result = await runOwnAct(visit, (by) => changePersonRole(deps, { id, businessId, role }, by))
  return 'notice' in result ? result : { to: base + list }
}
