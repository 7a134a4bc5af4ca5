import { toIsoSecond } from '../platform/time.ts'
import type { Author } from '../security/actor.ts'
import type { AccountFacts } from '../staff/list-accounts.ts'
import { isValidStaffName, type StaffRole, staffRoles } from '../staff/permissions.ts'
import type { ActionDeps, ActionGroup, ActionResult, FormValues } from './act.ts'
import { accountDisplay } from './shown.ts'

const accounts = () => import('../staff/change-account.ts')

const sessionsEnd = "all the account's sessions end. Its owner can sign in again."
const whatRolesMay =
  'A viewer may only view pages. Support may also re-queue deliveries and export the audit trail. An admin may also change keys, businesses and staff accounts.'

const nameIn = ({ name = '' }: FormValues) => name.trim().toLowerCase()
const roleIn = ({ role }: FormValues): StaffRole | undefined => staffRoles.find((each) => each === role)
const roleFault = (values: FormValues) =>
  roleIn(values) === undefined ? { role: 'Choose viewer, support or admin.' } : {}

type Access = { name: string; link: string } | { name: string; password: string }

const shownOnce = (access: Access | null): ActionResult =>
  access && {
    done: access,
    once: {
      title: 'Password link for',
      name: access.name,
      note: 'The link is ready. It will not be shown again, and is valid for 24 hours. Give it to the account owner in private: anyone who has it can set the password.',
      text: 'link' in access ? access.link : access.password,
      backPath: `/admin/staff/account/${encodeURIComponent(access.name)}`,
    },
  }

/** Outside production, operators' scripts can sign in with a password. */
const givesPassword = ({ config }: ActionDeps, { actor }: Author) =>
  actor.kind === 'operator' && !config.production

export function describePassword(
  { passwordChangedAt, linkExpiresAt }: Pick<AccountFacts, 'passwordChangedAt' | 'linkExpiresAt'>,
  format: (time: Date) => string,
): string {
  if (passwordChangedAt !== null) return `set ${format(passwordChangedAt)}`
  return linkExpiresAt === null
    ? 'no password, no link: issue a link'
    : `no password yet: link valid until ${format(linkExpiresAt)}`
}

const found = (isFound: boolean, done: object): ActionResult => (isFound ? { done } : null)

export const accountActions: ActionGroup<AccountFacts> = {
  noun: 'staff',
  object: 'account',
  path: '/staff/account/:id',
  permission: 'change-staff',
  exampleId: 'fatou',
  find: async (deps, name) => (await import('../staff/list-accounts.ts')).lookUpAccount(deps, name),
  nameOf: ({ name }) => name,
  facts: [
    accountDisplay.role,
    accountDisplay.state,
    { label: 'Password', value: (account) => describePassword(account, toIsoSecond) },
    accountDisplay.secondFactor,
  ],
  // Keeps admins from locking themselves out.
  obstacle: ({ name }, staff) =>
    name === staff.name
      ? 'This is your own account, which you cannot change here. Another admin can change it. Change your password, second factor and sessions on the “Your account” page.'
      : null,
  async refusalText(error) {
    const { LastAdminError } = await accounts()
    return error instanceof LastAdminError ? `Nothing was changed. ${error.message}.` : null
  },
  acts: {
    role: {
      label: 'Change role',
      title: 'Change the role of',
      description: 'change what an account may do; signs the account out everywhere',
      effects: {
        changes: `what the account may do, from the next sign-in. ${whatRolesMay} Also, ${sessionsEnd}`,
        undo: 'role',
      },
      audit: 'staff.role-changed',
      fields: {
        role: {
          label: 'New role',
          option: whatRolesMay,
          choices: staffRoles,
          isRequired: true,
          current: ({ role }) => role,
        },
      },
      faults: roleFault,
      async run(deps, account, by, values) {
        const role = roleIn(values)
        if (role === undefined) return null
        if (role === account.role) return { faults: { role: `The account already has the role ${role}.` } }
        const { changeRole } = await accounts()
        return found(await changeRole(deps, account.name, role, by), { name: account.name, role })
      },
      done: "The role has been changed. The account's sessions have ended.",
    },
    enable: {
      label: 'Enable',
      title: 'Enable the account',
      description: 'allow a disabled account to sign in again',
      effects: {
        opens:
          'the account. It can sign in with its password again. An account without a password also needs a new password link.',
        undo: 'disable',
      },
      audit: 'staff.enabled',
      run: (deps, { name }, by) => setDisabledTo(false, deps, name, by),
      done: 'The account is enabled.',
      isDone: ({ disabledAt }) => disabledAt === null,
      already: 'the account is already enabled',
    },
    disable: {
      label: 'Disable',
      title: 'Disable the account',
      description: 'sign an account out everywhere and refuse further sign-ins',
      isDanger: true,
      effects: {
        closes:
          'the account. Its sessions end immediately, it cannot sign in, and its password link stops working.',
        undo: 'enable',
      },
      audit: 'staff.disabled',
      run: (deps, { name }, by) => setDisabledTo(true, deps, name, by),
      done: 'The account has been disabled. Its sessions have ended.',
      isDone: ({ disabledAt }) => disabledAt !== null,
      already: 'the account is already disabled',
    },
    link: {
      label: 'Issue password link',
      title: 'Issue a password link for',
      description:
        'print a password link, or a new password outside production; signs the account out everywhere',
      command: 'password',
      isDanger: true,
      effects: {
        changes:
          "the current password and any earlier link stop working, and all the account's sessions end.",
        opens:
          'a link that is shown once. With it, the account owner can set a new password within 24 hours.',
        undoNote: 'the old password cannot be restored.',
      },
      obstacle: ({ disabledAt }) =>
        disabledAt === null
          ? null
          : 'You cannot issue a link for a disabled account. Enable the account first.',
      audit: 'staff.link-issued',
      async run(deps, { name }, by) {
        const { issuePasswordLink, renewPassword } = await accounts()
        if (!givesPassword(deps, by)) return shownOnce(await issuePasswordLink(deps, name, by))
        const password = await renewPassword(deps, name, by)
        return shownOnce(password === null ? null : { name, password })
      },
    },
    'remove-second-factor': {
      label: 'Remove second factor',
      title: 'Remove the second factor from',
      description: 'remove a lost second factor; signs the account out everywhere',
      command: 'reset-factor',
      isDanger: true,
      effects: {
        changes: `the second factor and its recovery codes are removed, so the password alone opens the account. First make sure that the account owner made this request. Also, ${sessionsEnd}`,
        undoNote: 'only the account owner can add a second factor.',
      },
      audit: 'staff.second-factor-removed',
      async run(deps, { name }, by) {
        const { removeSecondFactor } = await accounts()
        return found(await removeSecondFactor(deps, name, by), { name, secondFactor: false })
      },
      done: "The second factor has been removed. The account's sessions have ended.",
      isDone: ({ secondFactor }) => !secondFactor,
      already: 'the account has no second factor',
    },
    'end-sessions': {
      label: 'End sessions',
      title: 'End all sessions of',
      description: 'sign an account out everywhere',
      isDanger: true,
      effects: {
        changes: sessionsEnd,
        undoNote: 'not needed, because the account owner can sign in again.',
      },
      audit: 'staff.session-ended',
      async run(deps, { name }, by) {
        const { endOtherSessions } = await import('../accounts/sessions.ts')
        const { withStaffAccounts } = await import('../staff/account.ts')
        const ended = await endOtherSessions(withStaffAccounts(deps), { id: name, keptId: '' }, by)
        return { done: { name, ended } }
      },
      done: "All the account's sessions have ended.",
    },
  },
}

async function setDisabledTo(disabled: boolean, deps: ActionDeps, name: string, by: Author) {
  const { setStaffDisabled } = await accounts()
  if (!(await setStaffDisabled(deps, name, disabled, by))) return null
  const account = await accountActions.find(deps, name)
  const lacksPassword = !disabled && account !== null && account.passwordChangedAt === null
  return {
    done: { name, disabled, ...(lacksPassword && { password: describePassword(account, toIsoSecond) }) },
  }
}

export const staffListActions: ActionGroup<object> = {
  noun: 'staff',
  path: '/staff',
  permission: 'change-staff',
  find: async () => ({}),
  nameOf: () => '',
  facts: [],
  acts: {
    create: {
      label: 'Create account',
      title: 'Create a staff account',
      description: 'create an account and print its password link, or its password outside production',
      effects: {
        opens:
          'a new account without a password. You get a link, shown only once, that its owner can use to set one within 24 hours.',
        undoNote: 'an account cannot be deleted, but it can be disabled.',
      },
      audit: ['staff.created', 'staff.link-issued'],
      fields: {
        name: {
          label: 'Name',
          option: 'the name to sign in with',
          isRequired: true,
          hint: '1 to 64 characters: a-z, 0-9 and . _ @ -, beginning with a letter or a digit. Create a separate account for each person.',
          current: () => '',
        },
        role: {
          label: 'Role',
          option: whatRolesMay,
          hint: whatRolesMay,
          choices: staffRoles,
          isRequired: true,
          current: () => 'viewer',
        },
      },
      faults: (values) => ({
        ...(!isValidStaffName(nameIn(values)) && {
          name: 'Enter 1 to 64 of these characters: a-z, 0-9 and . _ @ -. Begin with a letter or a digit.',
        }),
        ...roleFault(values),
      }),
      async run(deps, _found, by, values) {
        const [name, role] = [nameIn(values), roleIn(values)]
        if (role === undefined) return null
        const { createAccount, createAccountWithLink } = await accounts()
        const create = givesPassword(deps, by) ? createAccount : createAccountWithLink
        const created = await create(deps, { name, role }, by)
        return created === null
          ? { faults: { name: `An account named ${name} already exists.` } }
          : shownOnce(created)
      },
    },
  },
}
