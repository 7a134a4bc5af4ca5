import type { PeopleRefusal } from '../people/change-people.ts'
import type { OpenInvitation, PersonFacts } from '../people/list-people.ts'
import { type PersonRole, personRoles, readPersonName } from '../people/names.ts'
import type { Author } from '../security/actor.ts'
import type { ActionDeps, ActionGroup, ActionResult, FormValues } from './act.ts'
import { invitationDisplay, personDisplay } from './shown.ts'

const changes = () => import('../people/change-people.ts')

const whatRolesMay =
  'An owner may do everything for the business. A cashier may only use the till. An accountant may only read payments and money.'

const refusals: Record<PeopleRefusal, string> = {
  'business-not-found': 'There is no such business.',
  'not-found': 'The person has no role in this business.',
  'already-there': 'The person already has a role in this business. Its owners can change it.',
  'no-owner': 'This business has no owner yet. Invite an owner first.',
  'last-owner':
    'The business would have no owner who can sign in. Invite another owner first, reset this person, or suspend the business.',
  'too-many': 'This business has too many people or open invitations.',
  repeated: 'The same form has already made a link.',
  'other-person': 'The invitation is for another person.',
}

async function refusalText(error: unknown): Promise<string | null> {
  const { PeopleRefusedError } = await changes()
  return error instanceof PeopleRefusedError ? refusals[error.why] : null
}

const privately =
  'It will not be shown again, and is valid for 24 hours. Give it to the person in private: anyone who has it can use it.'

const shownOnce = (title: string, { name, link }: { name: string; link: string }): ActionResult => ({
  done: { link },
  once: { title, name, note: `The link is ready. ${privately}`, text: link, backPath: '/admin/people' },
})

const others = 'If it is an owner, the other owners see a notice on the next page that they open.'

export const personActions: ActionGroup<PersonFacts> = {
  noun: 'person',
  path: '/people/account/:id',
  permission: 'change-people',
  find: async (deps, id) => (await import('../people/list-people.ts')).lookUpPerson(deps, id),
  nameOf: ({ name }) => name,
  facts: [personDisplay.roles, personDisplay.state, personDisplay.secondFactor],
  refusalText,
  acts: {
    enable: {
      label: 'Enable',
      title: 'Enable the person',
      description: 'allow a disabled person to sign in again',
      effects: { opens: `the account, with its password and roles. ${others}`, undo: 'disable' },
      audit: 'person.enabled',
      run: (deps, { id }, by) => setDisabledTo(false, deps, id, by),
      done: 'The person is enabled.',
      isDone: ({ disabledAt }) => disabledAt === null,
      already: 'the person is already enabled',
    },
    disable: {
      label: 'Disable',
      title: 'Disable the person',
      description: 'sign a person out everywhere and refuse further sign-ins, in all businesses',
      isDanger: true,
      effects: {
        closes: 'the account, in all businesses. Its sessions end immediately, and its links stop working.',
        undo: 'enable',
      },
      audit: 'person.disabled',
      run: (deps, { id }, by) => setDisabledTo(true, deps, id, by),
      done: 'The person has been disabled. All sessions have ended.',
      isDone: ({ disabledAt }) => disabledAt !== null,
      already: 'the person is already disabled',
    },
    reset: {
      label: 'Reset',
      title: 'Reset access for',
      description:
        'remove a lost or stolen password and second factor, and print a link to set a new password',
      isDanger: true,
      effects: {
        changes: `the password and the second factor stop working, and all sessions end. First make sure that the person made this request. ${others}`,
        opens: 'a link that is shown once. With it, the person can set a new password within 24 hours.',
        undoNote: 'the old password and second factor cannot be restored.',
      },
      obstacle: ({ disabledAt }) =>
        disabledAt === null ? null : 'You cannot reset a disabled person. Enable the person first.',
      audit: 'person.reset',
      async run(deps, { id }, by) {
        const reset = await (await changes()).resetPerson(deps, id, by)
        return reset && shownOnce('Password link for', reset)
      },
    },
  },
}

async function setDisabledTo(
  disabled: boolean,
  deps: ActionDeps,
  id: string,
  by: Author,
): Promise<ActionResult> {
  const person = await (await changes()).setPersonDisabled(deps, id, disabled, by)
  return person && { done: { id, name: person.name, disabled } }
}

export const invitationActions: ActionGroup<OpenInvitation> = {
  noun: 'person',
  path: '/people/invitation/:id',
  permission: 'change-people',
  find: async (deps, id) => (await import('../people/list-people.ts')).lookUpInvitation(deps, id),
  nameOf: ({ name }) => name,
  facts: [invitationDisplay.business, invitationDisplay.role, invitationDisplay.expiresAt],
  acts: {
    cancel: {
      label: 'Cancel',
      title: 'Cancel the invitation of',
      command: null,
      description: 'stop the link of an invitation that has not been accepted',
      isDanger: true,
      effects: { closes: 'the link, immediately.', undoNote: 'invite the person again with a new link.' },
      audit: 'person.invitation-cancelled',
      async run(deps, { _id: id, businessId }, by) {
        const { cancelInvitation } = await import('../people/invite.ts')
        const isCancelled = await cancelInvitation(deps, { id, businessId }, by)
        return isCancelled ? { done: { id }, to: `/admin/people?business=${businessId}` } : null
      },
    },
  },
}

const roleIn = ({ role }: FormValues): PersonRole | undefined => personRoles.find((each) => each === role)

export const personListActions: ActionGroup<object> = {
  noun: 'person',
  path: '/people',
  permission: 'change-people',
  find: async () => ({}),
  nameOf: () => '',
  facts: [],
  refusalText,
  acts: {
    invite: {
      label: 'Invite a person',
      title: 'Invite a person to a business',
      description: 'print a link with which a person gets a role in a business',
      effects: {
        opens: `a link, shown only once, with which the person can sign in to the portal within 24 hours. ${others}`,
        undoNote: 'you or an owner can cancel the invitation. Later, an owner can remove the person.',
      },
      audit: 'person.invited',
      fields: {
        business: { label: 'Business', option: 'id of the business', isRequired: true, current: () => '' },
        role: {
          label: 'Role',
          option: whatRolesMay,
          hint: whatRolesMay,
          choices: personRoles,
          isRequired: true,
          current: () => 'owner',
        },
        name: {
          label: 'E-mail address or phone number',
          option: 'the e-mail address or phone number to sign in with; nothing is sent to it',
          hint: 'The person signs in with it. Nothing is sent to it.',
          isRequired: true,
          maxLength: 254,
          current: () => '',
        },
      },
      faults: (values) => ({
        ...(readPersonName(values.name ?? '') === null && {
          name: 'Enter an e-mail address or a phone number.',
        }),
        ...(roleIn(values) === undefined && { role: 'Choose owner, cashier or accountant.' }),
      }),
      async run(deps, _found, by, values) {
        const [name, role] = [readPersonName(values.name ?? ''), roleIn(values)]
        if (name === null || role === undefined) return null
        const { invitePerson } = await import('../people/invite.ts')
        const invited = { businessId: (values.business ?? '').trim(), role, name }
        const { link } = await invitePerson(deps, invited, by)
        return shownOnce('Invitation for', { name, link })
      },
    },
  },
}
