import { html } from 'ghtml'
import type { AccountSession } from '../accounts/account.ts'
import { findLastSignIns, listSessions } from '../accounts/sessions.ts'
import { pagingLinks } from '../http/pages/table.ts'
import { isolateText } from '../http/pages/text.ts'
import { type SignedInStaff, withStaffAccounts } from '../staff/account.ts'
import { type AccountFacts, listAccounts, lookUpAccount } from '../staff/list-accounts.ts'
import { accountActions, describePassword, staffListActions } from '../staff-acts/account-acts.ts'
import { accountDisplay, type PageField } from '../staff-acts/shown.ts'
import { linkActions, renderDoneNotice } from './act-routes.ts'
import { renderBadge, renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import { buttonForm } from './layout.ts'
import { accountPath, auditPath, readQueryText, textLink, withQuery } from './paths.ts'
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
    !${sessionsTable(staff, sessions, null)}`
  return { title: `Account ${name}`, body }
}

/** If `endPath` is null, the table has no buttons. */
export function sessionsTable(
  staff: SignedInStaff,
  sessions: readonly AccountSession[],
  endPath: ((sessionId: string) => string) | null,
): string {
  if (sessions.length === 0) return html`<p>There are no sessions.</p>`
  const look = { caption: '“Last seen” can be up to 15 minutes old.' }
  if (endPath === null) return renderTable(sessionColumns, sessions, look)
  const end = ({ sessionId, from }: AccountSession) => {
    if (sessionId === staff.sessionId) return 'This session'
    return buttonForm(staff, endPath(sessionId), html`End<span class="unseen"> Session from ${from}</span>`)
  }
  return renderTable([...sessionColumns, { label: 'End', isAction: true, html: end }], sessions, look)
}

const sessionColumns: PageField<AccountSession>[] = [
  { label: 'Signed in', value: ({ createdAt }) => createdAt },
  { label: 'Last seen', value: ({ lastSeenAt }) => lastSeenAt },
  { label: 'From', html: ({ from }) => html`<span class="id">${from}</span>` },
  { label: 'Program', html: ({ client }) => isolateText(clientInWords(client)) },
]

const browsers: readonly [pattern: RegExp, name: string][] = [
  [/Edg(A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: readonly [pattern: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

/** If the browser is unknown, returns the start of the `User-Agent`. */
function clientInWords(userAgent: string) {
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  return userAgent === '' ? 'unknown' : userAgent.slice(0, 40)
}
