import { html } from 'ghtml'
import { issueLink, removeSecondFactor } from '../../staff/change-account.ts'
import { type AccountFacts, lookUpAccount, passwordInWords } from '../../staff/list-accounts.ts'
import { endOtherSessions } from '../../staff/sessions-of.ts'
import { time } from '../pages/layout.ts'
import { disable, enable, ownAccount, permission, role, sessionsEnd, unlessLastAdmin } from './account-state-acts.ts'
import { linkNotice } from './link-notice.ts'
import type { ActGroup, StaffAct } from './staff-act.ts'

const link: StaffAct<AccountFacts> = {
  permission,
  label: 'Issue password link',
  title: 'Issue a password link for',
  isDanger: true,
  effects: {
    changes: 'the current password and any earlier link stop working immediately, and all sessions of the account end.',
    opens: 'a link that is shown once. With it, the owner of the account can set a new password within 24 hours.',
    undo: null,
    undoNote: 'the old password cannot be restored.',
  },
  obstacle: (account, staff) =>
    ownAccount(account, staff) ??
    (account.disabledAt === null ? null : 'A link for a disabled account cannot be issued. Enable the account first.'),
  run: (deps, { name }, by) =>
    issueLink(deps, name, by).then(
      (issued) => (issued === null ? { result: 'refused' } : { result: 'shown', body: linkNotice(name, issued.link) }),
      unlessLastAdmin,
    ),
  done: '',
}

const removeFactor: StaffAct<AccountFacts> = {
  permission,
  label: 'Remove second factor',
  title: 'Remove the second factor of',
  isDanger: true,
  effects: {
    changes: `the second factor and its recovery codes are removed, so the password alone opens the account. First make sure that the request comes from the owner of the account. Also, ${sessionsEnd}`,
    undo: null,
    undoNote: 'only the owner of the account can add a second factor.',
  },
  obstacle: (account, staff) =>
    ownAccount(account, staff) ?? (account.secondFactor ? null : 'Nothing to do: the account has no second factor.'),
  async run(deps, { name }, by) {
    await removeSecondFactor(deps, name, by)
    return { result: 'done' }
  },
  done: 'The second factor is removed. The sessions of the account have ended.',
  isDone: ({ secondFactor }) => !secondFactor,
}

const endSessions: StaffAct<AccountFacts> = {
  permission,
  label: 'End sessions',
  title: 'End all sessions of',
  isDanger: true,
  effects: {
    changes: sessionsEnd,
    undo: null,
    undoNote: 'not needed, because the owner of the account can sign in again.',
  },
  obstacle: ownAccount,
  async run(deps, { name }, by) {
    await endOtherSessions(deps, { name, keptId: '' }, by)
    return { result: 'done' }
  },
  done: 'All sessions of the account have ended.',
}

/** The acts on a staff account. They are shown in this order. */
export const accountActs: ActGroup<AccountFacts> = {
  path: '/staff/account/:id',
  find: lookUpAccount,
  nameOf: ({ name }) => name,
  facts: (account) =>
    html`<dt>Role</dt><dd>${account.role}</dd>
    <dt>State</dt><dd>${account.disabledAt === null ? 'enabled' : 'disabled'}</dd>
    <dt>Password</dt><dd>!${passwordInWords(account, time)}</dd>
    <dt>Second factor</dt><dd>${account.secondFactor ? 'yes' : 'no'}</dd>`,
  acts: {
    role,
    enable,
    disable,
    link,
    'remove-second-factor': removeFactor,
    'end-sessions': endSessions,
  },
}
