import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../platform/deps.ts'
import { type AccountFacts, listAccounts, lookUpAccount } from '../staff/list-accounts.ts'
import { type ListedSession, lastSignIns, listSessions, type SignedIn } from '../staff/staff-sessions.ts'
import { accountActs, passwordInWords, staffListActs } from '../staff-acts/account-acts.ts'
import { accountShown } from '../staff-acts/shown.ts'
import { actLinks, actNotice } from './act-routes.ts'
import { badge } from './badges.ts'
import { buttonForm, sendNotFound, sendStaffPage, staffOf, time } from './layout.ts'
import { accountPath, auditPath, textIn, userLink, withQuery } from './paths.ts'
import { type Column, columnOf, factsOf, pageLinks, table } from './table.ts'
import { userText } from './words.ts'

const pageSize = 50

/** Handles GET requests for the list of staff accounts. */
export const staffPage =
  (deps: Pick<Deps, 'Staff' | 'StaffSession' | 'now'>) => async (req: Request, res: Response) => {
    const after = textIn(req.query, 'after').toWellFormed()
    const { items, next } = await listAccounts(deps, {}, { limit: pageSize, after: after || null })
    const names = items.map(({ name }) => name)
    const signIns = await lastSignIns(deps, names)
    const staff = staffOf(res)
    const body = html`<h1>Staff</h1>
    !${table(columnsFor(signIns), items, { isTight: true })}
    !${pageLinks((name) => withQuery('/admin/staff', { after: name }), after === '', next)}
    !${actLinks(staffListActs, '', {}, staff)}`
    sendStaffPage(res, { title: 'Staff', current: '/admin/staff' }, body)
  }

const columnsFor = (signIns: ReadonlyMap<string, Date>): Column<AccountFacts>[] => [
  columnOf(accountShown.name, ({ name }) => userLink(accountPath(name), name)),
  columnOf(accountShown.role),
  columnOf(accountShown.state, stateBadge),
  columnOf(accountShown.secondFactor),
  columnOf(accountShown.lastSignIn, ({ name }) => lastSignIn(signIns.get(name))),
  columnOf(accountShown.createdAt),
]

const lastSignIn = (at: Date | undefined): string => (at === undefined ? 'none in 30 days' : time(at))

const stateBadge = ({ disabledAt, passwordChangedAt }: AccountFacts): string => {
  if (disabledAt !== null) return badge('faint', 'disabled')
  return passwordChangedAt === null ? badge('faint', 'no password yet') : badge('good', 'enabled')
}

/** Handles GET requests for the page of a staff account. */
export const staffAccountPage =
  (deps: Pick<Deps, 'Staff' | 'StaffSession' | 'now'>) =>
  async (req: Request<{ id: string }>, res: Response) => {
    const { id: name } = req.params
    const account = await lookUpAccount(deps, name)
    if (account === null) return sendNotFound(res)
    const [sessions, signIns] = await Promise.all([listSessions(deps, name), lastSignIns(deps, [name])])
    const staff = staffOf(res)
    const { disabledAt } = account
    const body = html`<h1>Account <bdi>${name}</bdi> !${stateBadge(account)}</h1>
    !${actNotice(accountActs, account, req.query)}
    <dl class="facts card">
      !${factsOf(account, [accountShown.role, accountShown.secondFactor])}
      <dt>Last sign-in</dt><dd>!${lastSignIn(signIns.get(name))}</dd>
      <dt>Password</dt><dd>!${passwordInWords(account, time)}</dd>
      !${factsOf(account, [accountShown.createdAt])}
      !${disabledAt === null ? '' : html`<dt>Disabled</dt><dd>!${time(disabledAt)}</dd>`}
      <dt>Audit trail</dt><dd><a href="${auditPath({ who: name })}">show what this account did</a>, <a href="${auditPath({ subject: name })}">show the changes to this account</a></dd>
    </dl>
    !${name === staff.name ? html`<p>This is your own account. <a href="/admin/account">Change your password, second factor and sessions</a></p>` : ''}
    !${actLinks(accountActs, name, account, staff)}
    <h2>Sessions</h2>
    !${sessionsTable(staff, sessions, null)}`
    sendStaffPage(res, { title: `Account ${name}` }, body)
  }

/**
 * Returns a table of an account's sessions, each with a button that ends it. The viewer's own session has no button.
 * `endPath` returns the path of the form that ends a session. If it is null, there are no buttons.
 */
export function sessionsTable(
  staff: SignedIn,
  sessions: readonly ListedSession[],
  endPath: ((sessionId: string) => string) | null,
): string {
  if (sessions.length === 0) return html`<p>There are no sessions.</p>`
  const look = { caption: '“Last seen” can be up to 15 minutes old.' }
  if (endPath === null) return table(sessionColumns, sessions, look)
  const end = ({ id, from }: ListedSession): string => {
    if (id === staff.sessionId) return 'This session'
    return buttonForm(staff, endPath(id), html`End<span class="unseen"> Session from ${from}</span>`)
  }
  return table([...sessionColumns, { title: 'End', isAction: true, html: end }], sessions, look)
}

const sessionColumns: Column<ListedSession>[] = [
  { title: 'Signed in', html: ({ createdAt }) => time(createdAt) },
  { title: 'Last seen', html: ({ lastSeenAt }) => time(lastSeenAt) },
  { title: 'From', html: ({ from }) => html`<span class="id">${from}</span>` },
  { title: 'Program', html: ({ client }) => userText(clientInWords(client)) },
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

/** Returns a browser and its operating system in words, or the start of a `User-Agent` header that it does not know. */
function clientInWords(userAgent: string): string {
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  return userAgent === '' ? 'unknown' : userAgent.slice(0, 40)
}
