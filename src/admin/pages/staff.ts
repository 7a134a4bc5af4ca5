import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { type AccountFacts, listAccounts, lookUpAccount, passwordInWords } from '../../staff/list-accounts.ts'
import { lastSignIns, listSessions } from '../../staff/sessions-of.ts'
import { accountActs, staffListActs } from '../acts/account-acts.ts'
import { actLinks, actNotice } from '../acts/act-links.ts'
import { sessionsTable } from './account-sessions.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { accountPath, auditPath } from './paths.ts'
import { sendNotFound } from './respond.ts'

const pageSize = 50

/** Handles GET requests for the list of staff accounts. */
export const staffPage = (deps: Deps) => async (req: Request, res: Response) => {
  const { after } = req.query
  const slice = { limit: pageSize, after: typeof after === 'string' ? after.toWellFormed() : null }
  const { items, next } = await listAccounts(deps, {}, slice)
  const signIns = await lastSignIns(
    deps,
    items.map(({ name }) => name),
  )
  const staff = staffOf(res)
  const body = html`<h1>Staff</h1>
    <div class="scroll">
      <table class="cards tight">
        <thead><tr><th>Account</th><th>Role</th><th>State</th><th>Second factor</th><th>Last sign-in</th><th>Created</th></tr></thead>
        <tbody>!${items.map((account) => row(account, signIns.get(account.name)))}</tbody>
      </table>
    </div>
    <p class="pages">
      !${slice.after === null ? '' : html`<a href="/admin/staff">First page</a>`}
      !${next === null ? '' : html`<a rel="next" href="/admin/staff?after=${encodeURIComponent(next)}">Next page</a>`}
    </p>
    !${actLinks(staffListActs, '', {}, staff)}`
  sendPage(res, 200, page({ title: 'Staff', staff, current: '/admin/staff' }, body))
}

const row = (account: AccountFacts, signedInAt: Date | undefined): string =>
  html`<tr>
    <td data-label="Account"><a href="${accountPath(account.name)}"><bdi>${account.name}</bdi></a></td>
    <td data-label="Role">${account.role}</td>
    <td data-label="State">!${stateBadge(account)}</td>
    <td data-label="Second factor">${account.secondFactor ? 'yes' : 'no'}</td>
    <td data-label="Last sign-in">!${signedInAt === undefined ? 'none in 30 days' : time(signedInAt)}</td>
    <td data-label="Created">!${time(account.createdAt)}</td>
  </tr>`

const stateBadge = ({ disabledAt, passwordChangedAt }: AccountFacts): string => {
  if (disabledAt !== null) return html`<span class="badge faint">disabled</span>`
  return passwordChangedAt === null
    ? html`<span class="badge faint">no password yet</span>`
    : html`<span class="badge good">enabled</span>`
}

/** Handles GET requests for the page of a staff account. */
export const staffAccountPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id: name } = req.params
  const account = await lookUpAccount(deps, name)
  if (account === null) return sendNotFound(res)
  const [sessions, signIns] = await Promise.all([listSessions(deps, name), lastSignIns(deps, [name])])
  const staff = staffOf(res)
  const signedInAt = signIns.get(name)
  const { disabledAt } = account
  const body = html`<h1>Account <bdi>${name}</bdi> !${stateBadge(account)}</h1>
    !${actNotice(accountActs, account, req.query)}
    <dl class="facts card">
      <dt>Role</dt><dd>${account.role}</dd>
      <dt>Second factor</dt><dd>${account.secondFactor ? 'yes' : 'no'}</dd>
      <dt>Last sign-in</dt><dd>!${signedInAt === undefined ? 'none in 30 days' : time(signedInAt)}</dd>
      <dt>Password</dt><dd>!${passwordInWords(account, time)}</dd>
      <dt>Created</dt><dd>!${time(account.createdAt)}</dd>
      !${disabledAt === null ? '' : html`<dt>Disabled</dt><dd>!${time(disabledAt)}</dd>`}
      <dt>Audit trail</dt><dd><a href="${auditPath({ who: name })}">show what this account did</a>, <a href="${auditPath({ subject: name })}">show the changes to this account</a></dd>
    </dl>
    !${name === staff.name ? html`<p>This is your own account. <a href="/admin/account">Change your password, second factor and sessions</a></p>` : ''}
    !${actLinks(accountActs, name, account, staff)}
    <h2>Sessions</h2>
    !${sessionsTable(staff, sessions, null)}`
  sendPage(res, 200, page({ title: `Account ${name}`, staff, current: null }, body))
}
