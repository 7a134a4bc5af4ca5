import { html } from 'ghtml'
import {
  changeRole,
  createAccountWithLink,
  issueLink,
  LastAdmin,
  removeSecondFactor,
  setDisabled,
} from '../../staff/change-account.ts'
import { type AccountFacts, lookUpAccount, passwordInWords } from '../../staff/list-accounts.ts'
import { isStaffName, type Role, roles } from '../../staff/permissions.ts'
import { endOtherSessions } from '../../staff/staff-sessions.ts'
import { time } from '../pages/layout.ts'
import { accountPath } from '../pages/paths.ts'
import type { ActGroup, Values } from './staff-act.ts'

const sessionsEnd = 'all sessions of the account end. Its owner can sign in again.'
const whatRolesMay =
  'A viewer may only view pages. Support may also re-queue deliveries and export the audit trail. An admin may also change keys, businesses and staff accounts.'

const nameIn = ({ name = '' }: Values): string => name.trim().toLowerCase()
const roleIn = ({ role }: Values): Role | undefined => roles.find((each) => each === role)
const roleFault = (values: Values) => (roleIn(values) === undefined ? { role: `Choose ${roles.join(', ')}.` } : {})

/** Returns the page body that shows a new password link. It is shown only once, and is not stored. */
const linkNotice = (name: string, link: string): string =>
  html`<h1>Password link for <bdi>${name}</bdi></h1>
    <p class="notice good" role="status">The link is ready. It is shown only now, and is valid for 24 hours.</p>
    <p>Give it to the owner of the account in person or through a private channel. Anyone who has the link can set the password.</p>
    <pre>${link}</pre>
    <p><a href="${accountPath(name)}">Go to the account</a></p>`

/** The acts on a staff account. They are shown in this order. */
export const accountActs: ActGroup<AccountFacts> = {
  path: '/staff/account/:id',
  permission: 'change-staff',
  find: lookUpAccount,
  nameOf: ({ name }) => name,
  facts: (account) =>
    html`<dt>Role</dt><dd>${account.role}</dd>
    <dt>State</dt><dd>${account.disabledAt === null ? 'enabled' : 'disabled'}</dd>
    <dt>Password</dt><dd>!${passwordInWords(account, time)}</dd>
    <dt>Second factor</dt><dd>${account.secondFactor ? 'yes' : 'no'}</dd>`,
  // Otherwise, an admin could lock themself out, or get around the checks on their own account's page.
  obstacle: ({ name }, staff) =>
    name === staff.name
      ? 'This is your own account, which you cannot change here. Another admin can change it. On the page “Your account” you can change your password, second factor and sessions.'
      : null,
  refusalText: (error) => (error instanceof LastAdmin ? `Nothing was changed. ${error.message}.` : null),
  acts: {
    role: {
      label: 'Change role',
      title: 'Change the role of',
      effects: {
        changes: `what the account may do, from its next sign-in. ${whatRolesMay} Also, ${sessionsEnd}`,
        undo: 'role',
      },
      fields: { role: { label: 'New role', choices: roles, current: (account) => account.role } },
      faults: roleFault,
      async run(deps, account, by, values) {
        const role = roleIn(values)
        if (role === undefined) return false
        if (role === account.role) return { faults: { role: `The account already has the role ${role}.` } }
        return changeRole(deps, account.name, role, by)
      },
      done: 'The role is changed. The sessions of the account have ended.',
    },
    enable: {
      label: 'Enable',
      title: 'Enable the account',
      effects: {
        opens:
          'the account. It can sign in with its password again. An account that has no password also needs a new password link, because disabling it ended the earlier one.',
        undo: 'disable',
      },
      run: (deps, { name }, by) => setDisabled(deps, name, false, by),
      done: 'The account is enabled.',
      isDone: ({ disabledAt }) => disabledAt === null,
      already: 'the account is already enabled',
    },
    disable: {
      label: 'Disable',
      title: 'Disable the account',
      isDanger: true,
      effects: {
        closes:
          'the account. All of its sessions end immediately, it cannot sign in, and a link for a new password stops working.',
        undo: 'enable',
      },
      run: (deps, { name }, by) => setDisabled(deps, name, true, by),
      done: 'The account is disabled. Its sessions have ended.',
      isDone: ({ disabledAt }) => disabledAt !== null,
      already: 'the account is already disabled',
    },
    link: {
      label: 'Issue password link',
      title: 'Issue a password link for',
      isDanger: true,
      effects: {
        changes:
          'the current password and any earlier link stop working immediately, and all sessions of the account end.',
        opens: 'a link that is shown once. With it, the owner of the account can set a new password within 24 hours.',
        undoNote: 'the old password cannot be restored.',
      },
      obstacle: ({ disabledAt }) =>
        disabledAt === null ? null : 'A link for a disabled account cannot be issued. Enable the account first.',
      async run(deps, { name }, by) {
        const issued = await issueLink(deps, name, by)
        return issued === null ? false : { body: linkNotice(name, issued.link) }
      },
      done: '',
    },
    'remove-second-factor': {
      label: 'Remove second factor',
      title: 'Remove the second factor from',
      isDanger: true,
      effects: {
        changes: `the second factor and its recovery codes are removed, so the password alone opens the account. First make sure that the request comes from the owner of the account. Also, ${sessionsEnd}`,
        undoNote: 'only the owner of the account can add a second factor.',
      },
      run: (deps, { name }, by) => removeSecondFactor(deps, name, by),
      done: 'The second factor is removed. The sessions of the account have ended.',
      isDone: ({ secondFactor }) => !secondFactor,
      already: 'the account has no second factor',
    },
    'end-sessions': {
      label: 'End sessions',
      title: 'End all sessions of',
      isDanger: true,
      effects: {
        changes: sessionsEnd,
        undoNote: 'not needed, because the owner of the account can sign in again.',
      },
      async run(deps, { name }, by) {
        await endOtherSessions(deps, { name, keptId: '' }, by)
        return true
      },
      done: 'All sessions of the account have ended.',
    },
  },
}

/** The act on the list of staff accounts. */
export const staffListActs: ActGroup<object> = {
  path: '/staff',
  permission: 'change-staff',
  find: async () => ({}),
  nameOf: () => '',
  facts: () => '',
  acts: {
    create: {
      label: 'Create account',
      title: 'Create a staff account',
      effects: {
        opens:
          'a new account, which has no password yet. With a link that is shown once, its owner can set a password within 24 hours.',
        undoNote: 'an account cannot be deleted, but it can be disabled.',
      },
      fields: {
        name: {
          label: 'Name',
          hint: '1 to 64 characters: a-z, 0-9 and . _ @ -, beginning with a letter or a digit. Create a separate account for each person.',
          current: () => '',
        },
        role: { label: 'Role', hint: whatRolesMay, choices: roles, current: () => 'viewer' },
      },
      faults: (values) => ({
        ...(isStaffName(nameIn(values))
          ? {}
          : { name: 'Enter 1 to 64 of these characters: a-z, 0-9 and . _ @ -. Begin with a letter or a digit.' }),
        ...roleFault(values),
      }),
      async run(deps, _found, by, values) {
        const [name, role] = [nameIn(values), roleIn(values)]
        if (role === undefined) return false
        const created = await createAccountWithLink(deps, { name, role }, by)
        return created === null
          ? { faults: { name: 'There is already an account with this name.' } }
          : { body: linkNotice(name, created.link) }
      },
      done: '',
    },
  },
}
