import { html } from 'ghtml'
import { pagingLinks } from '../http/pages/table.ts'
import { isolateText } from '../http/pages/text.ts'
import { isId } from '../platform/ids.ts'
import * as facts from '../reconciliation/reconciliation.ts'
import { differenceDisplay, type PageField } from '../staff-acts/shown.ts'
import { capitaliseFirst, groupDigits, renderBadge, renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import * as paths from './paths.ts'
import { renderFacts, renderTable } from './table.ts'

const runsPerPage = 50
const differencesPerPage = 100

export const reconciliationListPage: StaffPage<'Reconciliation'> = async (deps, { query }) => {
  const given = paths.readQueryText(query, 'after')
  const after = isId(given) ? given : null
  const { items, next } = await facts.findReconciliations(deps, { limit: runsPerPage, after })
  const title = 'Reconciliations'
  const body = html`<h1>${title}</h1>
    <p>Each run compares the wallet provider's file for one UTC day with the live payments and refunds of that day. An operator starts a run with the command <code>admin reconcile</code>.</p>
    !${items.length === 0 ? html`<p class="notice" role="status">There are no runs.</p>` : renderTable(runColumns, items, { isTight: true })}
    !${pagingLinks((id) => paths.withQuery(paths.reconciliationsPath, { after: id }), after === null, next, ['Newest', 'Older'])}`
  return { title, current: paths.reconciliationsPath, body }
}

const counted: PageField<facts.ListedReconciliation | facts.Reconciliation>[] = [
  { label: 'Rows in the file', unit: 'count', value: ({ counts }) => counts.rows },
  { label: 'Recorded here', unit: 'count', value: ({ counts }) => counts.recorded },
  { label: 'Matched', unit: 'count', value: ({ counts }) => counts.matched },
]
const file: PageField<facts.ListedReconciliation> = {
  label: 'File',
  unit: 'user',
  value: ({ fileName }) => fileName,
}

const runColumns: PageField<facts.ListedReconciliation>[] = [
  { label: 'Day', html: ({ _id, day }) => html`<a href="${paths.reconciliationPath(_id)}">${day}</a>` },
  { label: 'Result', html: ({ counts }) => resultBadge(facts.countDifferences(counts)) },
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
  const start = startIn(paths.readQueryText(query, 'start'))
  const run = isId(id) ? await facts.findReconciliation(deps, id, start, differencesPerPage) : null
  if (run === null) return null
  const { differences, counts } = run
  const total = facts.countDifferences(counts)
  const stored = Math.min(total, facts.maxStoredDifferences)
  const title = `Reconciliation of ${run.day}`
  const end = start + differences.length
  const caption = `Differences ${start + 1} to ${end} of ${groupDigits(stored)}`
  const link = (from: number, name: string) =>
    html`<a href="${paths.reconciliationPath(id)}?start=${String(from)}">${name}</a>`
  const body = html`<h1>${title} !${resultBadge(total)}</h1>
    <dl class="facts">!${renderFacts(run, [...runFacts, ...kindsOf(run)])}</dl>
    !${total > stored ? html`<p class="notice">Only the first ${groupDigits(stored)} differences are stored. Check that the file and its columns are right.</p>` : ''}
    !${differences.length === 0 ? '' : renderTable(columns, differences, { caption, label: 'Differences', isTight: true })}
    <p class="pages">
      <a href="${paths.reconciliationsPath}">All runs</a>
      !${start === 0 ? '' : link(Math.max(0, start - differencesPerPage), 'Previous page')}
      !${end >= stored || differences.length === 0 ? '' : link(end, 'Next page')}
    </p>`
  return { title, current: paths.reconciliationsPath, body }
}

/** An invalid position means the beginning of the list. */
const startIn = (text: string) => (/^\d{1,4}$/.test(text) ? Number(text) : 0)

const runFacts: PageField<facts.Reconciliation>[] = [
  file,
  { label: 'SHA-256', unit: 'id', value: ({ sha256 }) => sha256 },
  { label: 'Run', html: ({ at, actor }) => html`!${renderTime(at)} by !${isolateText(actor.name)}` },
  { label: 'Wallet', value: ({ wallet }) => wallet?.slice('live:'.length) ?? 'all live wallets' },
  ...counted,
]

const kindsOf = ({ counts }: facts.Reconciliation): PageField<unknown>[] =>
  facts.fileDifferenceKinds
    .filter((kind) => counts.differences[kind] > 0)
    .map((kind) => ({ label: capitaliseFirst(kind), unit: 'count', value: () => counts.differences[kind] }))

const columns: PageField<facts.FileDifference>[] = [
  differenceDisplay.difference,
  differenceDisplay.here,
  differenceDisplay.there,
  { ...differenceDisplay.payment, html: paymentLinks },
  differenceDisplay.kind,
  differenceDisplay.key,
  differenceDisplay.line,
]

function paymentLinks({ reference, businessId }: facts.FileDifference) {
  if (reference === null) return 'unknown here'
  return html`!${paths.idLink(paths.paymentPath(reference), reference)}
    !${businessId === null ? '' : html`<a href="${paths.businessPath(businessId)}">business</a>`}`
}
