import { type Role, roles } from '../../staff/account-fields.ts'
import { changeRole, LastAdmin, setDisabled } from '../../staff/change-account.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import type { AccountFacts } from '../../staff/list-accounts.ts'
import type { ActResult, StaffAct } from './staff-act.ts'

export const permission = 'change-staff'
export const sessionsEnd = 'all sessions of the account end. Its owner can sign in again.'

/**
 * Returns why staff cannot perform an act on their own account. Otherwise, an admin could lock themself out, or get
 * around the checks on their own account's page.
 */
export const ownAccount = ({ name }: AccountFacts, staff: SignedIn): string | null =>
  name === staff.name
    ? 'This is your own account, which you cannot change here. Another admin can change it. On the page “Your account” you can change your password, second factor and sessions.'
    : null

/** Refuses an act that the last admin must survive. */
export const unlessLastAdmin = (error: unknown): ActResult => {
  if (!(error instanceof LastAdmin)) throw error
  return { result: 'invalid', faults: { form: `Nothing was changed. ${error.message}.` } }
}

const isRole = (text: string | undefined): text is Role => roles.some((role) => role === text)

export const role: StaffAct<AccountFacts> = {
  permission,
  label: 'Change role',
  title: 'Change the role of',
  isDanger: false,
  effects: {
    changes: `what the account may do, from its next sign-in. A viewer may only view pages. Support may also re-queue deliveries and export the audit trail. An admin may also change keys, businesses and staff accounts. Also, ${sessionsEnd}`,
    undo: 'role',
  },
  fields: { role: { label: 'New role', choices: roles, current: (account) => account.role } },
  obstacle: ownAccount,
  faults: ({ role: chosen }) => (isRole(chosen) ? {} : { role: `Choose ${roles.join(', ')}.` }),
  async run(deps, account, by, { role: chosen }) {
    if (!isRole(chosen)) return { result: 'refused' }
    if (chosen === account.role)
      return { result: 'invalid', faults: { role: `The account already has the role ${chosen}.` } }
    return changeRole(deps, account.name, chosen, by).then(() => ({ result: 'done' }), unlessLastAdmin)
  },
  done: 'The role is changed. The sessions of the account have ended.',
}

export const disable: StaffAct<AccountFacts> = {
  permission,
  label: 'Disable',
  title: 'Disable the account',
  isDanger: true,
  effects: {
    closes:
      'the account. All of its sessions end immediately, it cannot sign in, and a link for a new password stops working.',
    undo: 'enable',
  },
  obstacle: (account, staff) =>
    ownAccount(account, staff) ??
    (account.disabledAt === null ? null : 'Nothing to do: the account is already disabled.'),
  run: (deps, { name }, by) => setDisabled(deps, name, true, by).then(() => ({ result: 'done' }), unlessLastAdmin),
  done: 'The account is disabled. Its sessions have ended.',
  isDone: ({ disabledAt }) => disabledAt !== null,
}

export const enable: StaffAct<AccountFacts> = {
  permission,
  label: 'Enable',
  title: 'Enable the account',
  isDanger: false,
  effects: {
    opens:
      'the account. It can sign in with its password again. An account that has no password also needs a new password link, because disabling it ended the earlier one.',
    undo: 'disable',
  },
  obstacle: (account, staff) =>
    ownAccount(account, staff) ??
    (account.disabledAt === null ? 'Nothing to do: the account is already enabled.' : null),
  async run(deps, { name }, by) {
    await setDisabled(deps, name, false, by)
    return { result: 'done' }
  },
  done: 'The account is enabled.',
  isDone: ({ disabledAt }) => disabledAt === null,
}
