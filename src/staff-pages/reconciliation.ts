import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../platform/deps.ts'
import { isId } from '../platform/ids.ts'
import { findRun } from '../reconciliation/read-runs.ts'
import {
  type Difference,
  differenceCount,
  differenceKinds,
  maxStoredDifferences,
  type Reconciliation,
} from '../reconciliation/reconciliation.ts'
import { differenceShown } from '../staff-acts/shown.ts'
import { sendNotFound, sendStaffPage, time } from './layout.ts'
import {
  businessPath,
  idLink,
  paymentPath,
  reconciliationPath,
  reconciliationsPath,
  textIn,
} from './paths.ts'
import { resultBadge } from './reconciliations.ts'
import { columnOf, table } from './table.ts'
import { capitalised, groupDigits, userText } from './words.ts'

/** The number of differences per page. */
const pageSize = 100

/** Handles GET requests for one comparison with the wallet provider, and its differences. */
export const reconciliationPage =
  (deps: Pick<Deps, 'Reconciliation'>) => async (req: Request<{ id: string }>, res: Response) => {
    const { id } = req.params
    const start = startOf(req)
    const run = isId(id) ? await findRun(deps, id, start, pageSize) : null
    if (run === null) return sendNotFound(res)
    const total = differenceCount(run.counts)
    const stored = Math.min(total, maxStoredDifferences)
    const title = `Reconciliation of ${run.day}`
    const end = start + run.differences.length
    const caption = `Differences ${start + 1} to ${end} of ${groupDigits(stored)}`
    const link = (from: number, name: string): string =>
      html`<a href="${reconciliationPath(id)}?start=${String(from)}">${name}</a>`
    const body = html`<h1>${title} !${resultBadge(total)}</h1>
    !${facts(run)}
    !${total > stored ? html`<p class="notice">Only the first ${groupDigits(stored)} differences are stored. Check that the file and its columns are right.</p>` : ''}
    !${run.differences.length === 0 ? '' : table(columns, run.differences, { caption, label: 'Differences', isTight: true })}
    <p class="pages">
      <a href="${reconciliationsPath}">All runs</a>
      !${start === 0 ? '' : link(Math.max(0, start - pageSize), 'Previous page')}
      !${end >= stored || run.differences.length === 0 ? '' : link(end, 'Next page')}
    </p>`
    sendStaffPage(res, { title, current: reconciliationsPath }, body)
  }

/** Reads the position of the first difference to show. An unusable value means the beginning. */
function startOf({ query }: Pick<Request, 'query'>): number {
  const start = textIn(query, 'start')
  return /^\d{1,4}$/.test(start) ? Number(start) : 0
}

const facts = ({ counts, fileName, sha256, wallet, at, actor }: Reconciliation): string =>
  html`<dl class="facts">
    <dt>File</dt><dd>!${userText(fileName)}</dd>
    <dt>SHA-256</dt><dd class="id">${sha256}</dd>
    <dt>Run</dt><dd>!${time(at)} by !${userText(actor.name)}</dd>
    <dt>Wallet</dt><dd>${wallet === null ? 'all live wallets' : html`${wallet.slice('live:'.length)}`}</dd>
    <dt>Rows in the file</dt><dd>${groupDigits(counts.rows)}</dd>
    <dt>Recorded here</dt><dd>${groupDigits(counts.recorded)}</dd>
    <dt>Matched</dt><dd>${groupDigits(counts.matched)}</dd>
    !${differenceKinds
      .filter((kind) => counts.differences[kind] > 0)
      .map((kind) => html`<dt>${capitalised(kind)}</dt><dd>${groupDigits(counts.differences[kind])}</dd>`)}
  </dl>`

const columns = [
  ...[differenceShown.difference, differenceShown.here, differenceShown.there].map((field) =>
    columnOf(field),
  ),
  columnOf(differenceShown.payment, paymentLinks),
  ...[differenceShown.kind, differenceShown.key, differenceShown.line].map((field) => columnOf(field)),
]

function paymentLinks({ reference, businessId }: Difference): string {
  if (reference === null) return 'unknown here'
  return html`!${idLink(paymentPath(reference), reference)}
    !${businessId === null ? '' : html`<a href="${businessPath(businessId)}">business</a>`}`
}
