import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { type ListedRun, listRuns } from '../../reconciliation/read-runs.ts'
import { differenceCount } from '../../reconciliation/reconciliation.ts'
import { isId } from '../../security/ids.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { reconciliationPath, reconciliationsPath } from './paths.ts'
import { groupDigits, userText } from './words.ts'

const pageSize = 50

/** Handles GET requests for the list of comparisons with the wallet provider. */
export const reconciliationsPage = (deps: Deps) => async (req: Request, res: Response) => {
  const { after } = req.query
  const last = typeof after === 'string' && isId(after) ? after : null
  const { items, next } = await listRuns(deps, { limit: pageSize, after: last })
  const title = 'Reconciliations'
  const body = html`<h1>${title}</h1>
    <p>Each run compares the wallet provider's file for one UTC day with the live payments and refunds of that day. An operator starts a run with the command <code>admin reconcile</code>.</p>
    !${items.length === 0 ? html`<p class="notice" role="status">There are no runs.</p>` : table(items)}
    <p class="pages">
      !${last === null ? '' : html`<a href="${reconciliationsPath}">Newest</a>`}
      !${next === null ? '' : html`<a rel="next" href="${reconciliationsPath}?after=${next}">Older</a>`}
    </p>`
  sendPage(res, 200, page({ title, staff: staffOf(res), current: reconciliationsPath }, body))
}

const table = (runs: readonly ListedRun[]): string =>
  html`<div class="scroll">
    <table class="cards tight">
      <thead><tr><th>Day</th><th>Result</th><th class="number">Matched</th><th class="number">Rows</th><th class="number">Recorded here</th><th>File</th><th>Run</th><th>By</th></tr></thead>
      <tbody>!${runs.map(row)}</tbody>
    </table>
  </div>`

const row = ({ _id, day, fileName, at, actor, counts }: ListedRun): string =>
  html`<tr>
    <td data-label="Day"><a href="${reconciliationPath(_id)}">${day}</a></td>
    <td data-label="Result">!${resultBadge(differenceCount(counts))}</td>
    <td data-label="Matched" class="number">${groupDigits(counts.matched)}</td>
    <td data-label="Rows" class="number">${groupDigits(counts.rows)}</td>
    <td data-label="Recorded here" class="number">${groupDigits(counts.recorded)}</td>
    <td data-label="File" class="wide">!${userText(fileName)}</td>
    <td data-label="Run">!${time(at)}</td>
    <td data-label="By">!${userText(actor.name)}</td>
  </tr>`

/** Returns a badge with the number of differences. */
export const resultBadge = (count: number): string =>
  count === 0
    ? html`<span class="badge good">no differences</span>`
    : html`<span class="badge bad">${groupDigits(count)} ${count === 1 ? 'difference' : 'differences'}</span>`
