import { html } from 'ghtml'
import { renderSessions } from '../account-pages/session-table.ts'
import { findLastSignIns, listSessions } from '../accounts/sessions.ts'
import { pagingLinks } from '../http/pages/table.ts'
import { withStaffAccounts } from '../staff/account.ts'
import { type AccountFacts, listAccounts, lookUpAccount } from '../staff/list-accounts.ts'
import { accountActions, describePassword, staffListActions } from '../staff-acts/account-acts.ts'
import { accountDisplay, type PageField } from '../staff-acts/shown.ts'
import { linkActions, renderDoneNotice } from './act-routes.ts'
import { renderBadge, renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import { accountPath, auditPath, readQueryText, textLink, withQuery } from './paths.ts'
import { staffTexts } from './session.ts'
import { renderFacts, renderTable } from './table.ts'

const pageSize = 50

type Reads = 'Staff' | 'StaffSession' | 'now'

export const staffListPage: StaffPage<Reads> = async (deps, { query, staff }) => {
  const after = readQueryText(query, 'after').toWellFormed()
  const { items, next } = await listAccounts(deps, {}, { limit: pageSize, after: after || null })
  const names = items.map(({ name }) => name)
  const signIns = await findLastSignIns(withStaffAccounts(deps), names)
  const accounts = items.map((account) => ({ ...account, lastSignInAt: signIns.get(account.name) ?? null }))
  const body = html`<h1>Staff</h1>
    !${renderTable(columns, accounts, { isTight: true })}
    !${pagingLinks((name) => withQuery('/admin/staff', { after: name }), after === '', next, ['First page', 'Next page'])}
    !${linkActions(staffListActions, '', {}, staff)}`
  return { title: 'Staff', current: '/admin/staff', body }
}

type ListedAccount = AccountFacts & { lastSignInAt: Date | null }

const lastSignIn: PageField<ListedAccount> = {
  ...accountDisplay.lastSignIn,
  html: ({ lastSignInAt }) => (lastSignInAt === null ? 'none in 30 days' : renderTime(lastSignInAt)),
}

const columns: PageField<ListedAccount>[] = [
  { ...accountDisplay.name, html: ({ name }) => textLink(accountPath(name), name) },
  accountDisplay.role,
  { ...accountDisplay.state, html: stateBadge },
  accountDisplay.secondFactor,
  lastSignIn,
  accountDisplay.createdAt,
]

function stateBadge({ disabledAt, passwordChangedAt }: AccountFacts) {
  if (disabledAt !== null) return renderBadge('faint', 'disabled')
  return passwordChangedAt === null ? renderBadge('faint', 'no password yet') : renderBadge('good', 'enabled')
}

export const staffAccountPage: StaffPage<Reads> = async (deps, { id: name, query, staff }) => {
  const found = await lookUpAccount(deps, name)
  if (found === null) return null
  const accounts = withStaffAccounts(deps)
  const [sessions, signIns] = await Promise.all([
    listSessions(accounts, name),
    findLastSignIns(accounts, [name]),
  ])
  const account = { ...found, lastSignInAt: signIns.get(name) ?? null }
  const body = html`<h1>Account <bdi>${name}</bdi> !${stateBadge(account)}</h1>
    !${renderDoneNotice(accountActions, account, query)}
    <dl class="facts card">
      !${renderFacts(account, [accountDisplay.role, accountDisplay.secondFactor, lastSignIn])}
      <dt>Password</dt><dd>!${describePassword(account, renderTime)}</dd>
      !${renderFacts(account, [accountDisplay.createdAt])}
      !${account.disabledAt === null ? '' : html`<dt>Disabled</dt><dd>!${renderTime(account.disabledAt)}</dd>`}
      <dt>Audit trail</dt><dd><a href="${auditPath({ who: name })}">show what this account did</a>, <a href="${auditPath({ subject: name })}">show the changes to this account</a></dd>
    </dl>
    !${name === staff.name ? html`<p>This is your own account. <a href="/admin/account">Change your password, second factor and sessions</a></p>` : ''}
    !${linkActions(accountActions, name, account, staff)}
    <h2>Sessions</h2>
    !${renderSessions(staffTexts, renderTime, staff, sessions, null)}`
  return { title: `Account ${name}`, body }
}
