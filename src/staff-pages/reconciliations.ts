import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../platform/deps.ts'
import { isId } from '../platform/ids.ts'
import { type ListedRun, listRuns } from '../reconciliation/read-runs.ts'
import { differenceCount } from '../reconciliation/reconciliation.ts'
import { badge } from './badges.ts'
import { sendStaffPage, time } from './layout.ts'
import { reconciliationPath, reconciliationsPath, textIn, withQuery } from './paths.ts'
import { type Column, pageLinks, table } from './table.ts'
import { groupDigits, userText } from './words.ts'

const pageSize = 50

/** Handles GET requests for the list of comparisons with the wallet provider. */
export const reconciliationsPage =
  (deps: Pick<Deps, 'Reconciliation'>) => async (req: Request, res: Response) => {
    const given = textIn(req.query, 'after')
    const after = isId(given) ? given : null
    const { items, next } = await listRuns(deps, { limit: pageSize, after })
    const title = 'Reconciliations'
    const body = html`<h1>${title}</h1>
    <p>Each run compares the wallet provider's file for one UTC day with the live payments and refunds of that day. An operator starts a run with the command <code>admin reconcile</code>.</p>
    !${items.length === 0 ? html`<p class="notice" role="status">There are no runs.</p>` : table(columns, items, { isTight: true })}
    !${pageLinks((id) => withQuery(reconciliationsPath, { after: id }), after === null, next, ['Newest', 'Older'])}`
    sendStaffPage(res, { title, current: reconciliationsPath }, body)
  }

const columns: Column<ListedRun>[] = [
  { title: 'Day', html: ({ _id, day }) => html`<a href="${reconciliationPath(_id)}">${day}</a>` },
  { title: 'Result', html: ({ counts }) => resultBadge(differenceCount(counts)) },
  { title: 'Matched', classes: 'number', text: ({ counts }) => groupDigits(counts.matched) },
  { title: 'Rows', classes: 'number', text: ({ counts }) => groupDigits(counts.rows) },
  { title: 'Recorded here', classes: 'number', text: ({ counts }) => groupDigits(counts.recorded) },
  { title: 'File', classes: 'wide', html: ({ fileName }) => userText(fileName) },
  { title: 'Run', html: ({ at }) => time(at) },
  { title: 'By', html: ({ actor }) => userText(actor.name) },
]

/** Returns a badge with the number of differences. */
export const resultBadge = (count: number): string =>
  count === 0
    ? badge('good', 'no differences')
    : badge('bad', `${groupDigits(count)} ${count === 1 ? 'difference' : 'differences'}`)
