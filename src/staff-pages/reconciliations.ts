import { html } from 'ghtml'
import { pagingLinks } from '../http/pages/table.ts'
import { isolateText } from '../http/pages/text.ts'
import { isId } from '../platform/ids.ts'
import {
  countDifferences,
  type FileDifference,
  fileDifferenceKinds,
  findReconciliation,
  findReconciliations,
  type ListedReconciliation,
  maxStoredDifferences,
  type Reconciliation,
} from '../reconciliation/reconciliation.ts'
import { differenceDisplay, type PageField } from '../staff-acts/shown.ts'
import { capitaliseFirst, groupDigits, renderBadge, renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import {
  businessPath,
  idLink,
  paymentPath,
  readQueryText,
  reconciliationPath,
  reconciliationsPath,
  withQuery,
} from './paths.ts'
import { renderFacts, renderTable } from './table.ts'

const runsPerPage = 50
const differencesPerPage = 100

export const reconciliationListPage: StaffPage<'Reconciliation'> = async (deps, { query }) => {
  const given = readQueryText(query, 'after')
  const after = isId(given) ? given : null
  const { items, next } = await findReconciliations(deps, { limit: runsPerPage, after })
  const title = 'Reconciliations'
  const body = html`<h1>${title}</h1>
    <p>Each run compares the wallet provider's file for one UTC day with the live payments and refunds of that day. An operator starts a run with the command <code>admin reconcile</code>.</p>
    !${items.length === 0 ? html`<p class="notice" role="status">There are no runs.</p>` : renderTable(runColumns, items, { isTight: true })}
    !${pagingLinks((id) => withQuery(reconciliationsPath, { after: id }), after === null, next, ['Newest', 'Older'])}`
  return { title, current: reconciliationsPath, body }
}

const counted: PageField<ListedReconciliation | Reconciliation>[] = [
  { label: 'Rows in the file', unit: 'count', value: ({ counts }) => counts.rows },
  { label: 'Recorded here', unit: 'count', value: ({ counts }) => counts.recorded },
  { label: 'Matched', unit: 'count', value: ({ counts }) => counts.matched },
]
const file: PageField<ListedReconciliation> = {
  label: 'File',
  unit: 'user',
  value: ({ fileName }) => fileName,
}

const runColumns: PageField<ListedReconciliation>[] = [
  { label: 'Day', html: ({ _id, day }) => html`<a href="${reconciliationPath(_id)}">${day}</a>` },
  { label: 'Result', html: ({ counts }) => resultBadge(countDifferences(counts)) },
  ...counted,
  file,
  { label: 'Run', value: ({ at }) => at },
  { label: 'By', unit: 'user', value: ({ actor }) => actor.name },
]

const resultBadge = (count: number) =>
  count === 0
    ? renderBadge('good', 'no differences')
    : renderBadge('bad', `${groupDigits(count)} ${count === 1 ? 'difference' : 'differences'}`)

export const reconciliationPage: StaffPage<'Reconciliation'> = async (deps, { id, query }) => {
  const start = startIn(readQueryText(query, 'start'))
  const run = isId(id) ? await findReconciliation(deps, id, start, differencesPerPage) : null
  if (run === null) return null
  const { differences, counts } = run
  const total = countDifferences(counts)
  const stored = Math.min(total, maxStoredDifferences)
  const title = `Reconciliation of ${run.day}`
  const end = start + differences.length
  const caption = `Differences ${start + 1} to ${end} of ${groupDigits(stored)}`
  const link = (from: number, name: string) =>
    html`<a href="${reconciliationPath(id)}?start=${String(from)}">${name}</a>`
  const body = html`<h1>${title} !${resultBadge(total)}</h1>
    <dl class="facts">!${renderFacts(run, [...runFacts, ...kindsOf(run)])}</dl>
    !${total > stored ? html`<p class="notice">Only the first ${groupDigits(stored)} differences are stored. Check that the file and its columns are right.</p>` : ''}
    !${differences.length === 0 ? '' : renderTable(columns, differences, { caption, label: 'Differences', isTight: true })}
    <p class="pages">
      <a href="${reconciliationsPath}">All runs</a>
      !${start === 0 ? '' : link(Math.max(0, start - differencesPerPage), 'Previous page')}
      !${end >= stored || differences.length === 0 ? '' : link(end, 'Next page')}
    </p>`
  return { title, current: reconciliationsPath, body }
}

/** An invalid position means the beginning of the list. */
const startIn = (text: string) => (/^\d{1,4}$/.test(text) ? Number(text) : 0)

const runFacts: PageField<Reconciliation>[] = [
  file,
  { label: 'SHA-256', unit: 'id', value: ({ sha256 }) => sha256 },
  { label: 'Run', html: ({ at, actor }) => html`!${renderTime(at)} by !${isolateText(actor.name)}` },
  { label: 'Wallet', value: ({ wallet }) => wallet?.slice('live:'.length) ?? 'all live wallets' },
  ...counted,
]

const kindsOf = ({ counts }: Reconciliation): PageField<unknown>[] =>
  fileDifferenceKinds
    .filter((kind) => counts.differences[kind] > 0)
    .map((kind) => ({ label: capitaliseFirst(kind), unit: 'count', value: () => counts.differences[kind] }))

const columns: PageField<FileDifference>[] = [
  differenceDisplay.difference,
  differenceDisplay.here,
  differenceDisplay.there,
  { ...differenceDisplay.payment, html: paymentLinks },
  differenceDisplay.kind,
  differenceDisplay.key,
  differenceDisplay.line,
]

function paymentLinks({ reference, businessId }: FileDifference) {
  if (reference === null) return 'unknown here'
  return html`!${idLink(paymentPath(reference), reference)}
    !${businessId === null ? '' : html`<a href="${businessPath(businessId)}">business</a>`}`
}
