import { html } from 'ghtml'
import { isId } from '../platform/ids.ts'
import {
  type Difference,
  differenceCount,
  differenceKinds,
  findRun,
  type ListedRun,
  listRuns,
  maxStoredDifferences,
  type Reconciliation,
} from '../reconciliation/reconciliation.ts'
import { differenceShown, type PageField } from '../staff-acts/shown.ts'
import { capitaliseFirst, groupDigits, renderBadge, time, userText } from './format.ts'
import type { StaffPage } from './guards.ts'
import {
  businessPath,
  idLink,
  paymentPath,
  reconciliationPath,
  reconciliationsPath,
  textIn,
  withQuery,
} from './paths.ts'
import { factsOf, pageLinks, table } from './table.ts'

const runsPerPage = 50
const differencesPerPage = 100

export const reconciliationsPage: StaffPage<'Reconciliation'> = async (deps, { query }) => {
  const given = textIn(query, 'after')
  const after = isId(given) ? given : null
  const { items, next } = await listRuns(deps, { limit: runsPerPage, after })
  const title = 'Reconciliations'
  const body = html`<h1>${title}</h1>
    <p>Each run compares the wallet provider's file for one UTC day with the live payments and refunds of that day. An operator starts a run with the command <code>admin reconcile</code>.</p>
    !${items.length === 0 ? html`<p class="notice" role="status">There are no runs.</p>` : table(runColumns, items, { isTight: true })}
    !${pageLinks((id) => withQuery(reconciliationsPath, { after: id }), after === null, next, ['Newest', 'Older'])}`
  return { title, current: reconciliationsPath, body }
}

const counted: PageField<ListedRun | Reconciliation>[] = [
  { label: 'Rows in the file', unit: 'count', value: ({ counts }) => counts.rows },
  { label: 'Recorded here', unit: 'count', value: ({ counts }) => counts.recorded },
  { label: 'Matched', unit: 'count', value: ({ counts }) => counts.matched },
]
const file: PageField<ListedRun> = { label: 'File', unit: 'user', value: ({ fileName }) => fileName }

const runColumns: PageField<ListedRun>[] = [
  { label: 'Day', html: ({ _id, day }) => html`<a href="${reconciliationPath(_id)}">${day}</a>` },
  { label: 'Result', html: ({ counts }) => resultBadge(differenceCount(counts)) },
  ...counted,
  file,
  { label: 'Run', value: ({ at }) => at },
  { label: 'By', unit: 'user', value: ({ actor }) => actor.name },
]

const resultBadge = (count: number): string =>
  count === 0
    ? renderBadge('good', 'no differences')
    : renderBadge('bad', `${groupDigits(count)} ${count === 1 ? 'difference' : 'differences'}`)

export const reconciliationPage: StaffPage<'Reconciliation'> = async (deps, { id, query }) => {
  const start = startIn(textIn(query, 'start'))
  const run = isId(id) ? await findRun(deps, id, start, differencesPerPage) : null
  if (run === null) return null
  const { differences, counts } = run
  const total = differenceCount(counts)
  const stored = Math.min(total, maxStoredDifferences)
  const title = `Reconciliation of ${run.day}`
  const end = start + differences.length
  const caption = `Differences ${start + 1} to ${end} of ${groupDigits(stored)}`
  const link = (from: number, name: string): string =>
    html`<a href="${reconciliationPath(id)}?start=${String(from)}">${name}</a>`
  const body = html`<h1>${title} !${resultBadge(total)}</h1>
    <dl class="facts">!${factsOf(run, [...runFacts, ...kindsOf(run)])}</dl>
    !${total > stored ? html`<p class="notice">Only the first ${groupDigits(stored)} differences are stored. Check that the file and its columns are right.</p>` : ''}
    !${differences.length === 0 ? '' : table(columns, differences, { caption, label: 'Differences', isTight: true })}
    <p class="pages">
      <a href="${reconciliationsPath}">All runs</a>
      !${start === 0 ? '' : link(Math.max(0, start - differencesPerPage), 'Previous page')}
      !${end >= stored || differences.length === 0 ? '' : link(end, 'Next page')}
    </p>`
  return { title, current: reconciliationsPath, body }
}

/** The list starts at the beginning if the position is invalid. */
const startIn = (text: string): number => (/^\d{1,4}$/.test(text) ? Number(text) : 0)

const runFacts: PageField<Reconciliation>[] = [
  file,
  { label: 'SHA-256', unit: 'id', value: ({ sha256 }) => sha256 },
  { label: 'Run', html: ({ at, actor }) => html`!${time(at)} by !${userText(actor.name)}` },
  { label: 'Wallet', value: ({ wallet }) => wallet?.slice('live:'.length) ?? 'all live wallets' },
  ...counted,
]

const kindsOf = ({ counts }: Reconciliation): PageField<unknown>[] =>
  differenceKinds
    .filter((kind) => counts.differences[kind] > 0)
    .map((kind) => ({ label: capitaliseFirst(kind), unit: 'count', value: () => counts.differences[kind] }))

const columns: PageField<Difference>[] = [
  differenceShown.difference,
  differenceShown.here,
  differenceShown.there,
  { ...differenceShown.payment, html: paymentLinks },
  differenceShown.kind,
  differenceShown.key,
  differenceShown.line,
]

function paymentLinks({ reference, businessId }: Difference): string {
  if (reference === null) return 'unknown here'
  return html`!${idLink(paymentPath(reference), reference)}
    !${businessId === null ? '' : html`<a href="${businessPath(businessId)}">business</a>`}`
}
