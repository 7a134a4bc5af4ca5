import type { By } from '../../audit/audit-event.ts'
import { type Role, roles } from '../../staff/account-fields.ts'
import { changeRole, setDisabled } from '../../staff/change-account.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import { keepAnAdmin } from '../../staff/keep-an-admin.ts'
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

/** Converts the result of `keepAnAdmin` to the result of an act. */
const toActResult = async (isKept: Promise<boolean>): Promise<ActResult> =>
  (await isKept)
    ? { result: 'done' }
    : {
        result: 'invalid',
        faults: {
          form: 'The change was not made, or was undone, because no other enabled admin would be left.',
        },
      }

const undoing = (by: By): By => ({ ...by, reason: 'No other enabled admin would be left.' })

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
    const change = () => changeRole(deps, account.name, chosen, by)
    const undo = () => changeRole(deps, account.name, account.role, undoing(by))
    if (account.role === 'admin') return toActResult(keepAnAdmin(deps, account.name, { change, undo }))
    await change()
    return { result: 'done' }
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
  async run(deps, { name, role: before }, by) {
    const change = () => setDisabled(deps, name, true, by)
    const undo = () => setDisabled(deps, name, false, undoing(by))
    if (before === 'admin') return toActResult(keepAnAdmin(deps, name, { change, undo }))
    await change()
    return { result: 'done' }
  },
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
