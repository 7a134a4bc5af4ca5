import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { type Difference, differenceKinds } from '../../reconciliation/differences.ts'
import { findRun } from '../../reconciliation/read-runs.ts'
import { differenceCount, maxStored, type Reconciliation } from '../../reconciliation/reconciliation.ts'
import { isId } from '../../security/ids.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { businessPath, paymentPath, reconciliationPath, reconciliationsPath } from './paths.ts'
import { resultBadge } from './reconciliations.ts'
import { sendNotFound } from './respond.ts'
import { groupDigits, money, userText } from './words.ts'

/** The number of differences per page. */
const pageSize = 100

/** Handles GET requests for one comparison with the wallet provider, and its differences. */
export const reconciliationPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const start = startOf(req)
  const run = isId(id) ? await findRun(deps, id, start, pageSize) : null
  if (run === null) return sendNotFound(res)
  const total = differenceCount(run.counts)
  const stored = Math.min(total, maxStored)
  const title = `Reconciliation of ${run.day}`
  const end = start + run.differences.length
  const link = (from: number, name: string): string =>
    html`<a href="${reconciliationPath(id)}?start=${String(from)}">${name}</a>`
  const body = html`<h1>${title} !${resultBadge(total)}</h1>
    !${facts(run)}
    !${total > stored ? html`<p class="notice">Only the first ${groupDigits(stored)} differences are stored. Check that the file and its columns are right.</p>` : ''}
    !${run.differences.length === 0 ? '' : table(run.differences, `Differences ${start + 1} to ${end} of ${groupDigits(stored)}`)}
    <p class="pages">
      <a href="${reconciliationsPath}">All runs</a>
      !${start === 0 ? '' : link(Math.max(0, start - pageSize), 'Previous page')}
      !${end >= stored || run.differences.length === 0 ? '' : link(end, 'Next page')}
    </p>`
  sendPage(res, 200, page({ title, staff: staffOf(res), current: reconciliationsPath }, body))
}

/** Reads the position of the first difference to show. An unusable value means the beginning. */
function startOf({ query }: { query: Record<string, unknown> }): number {
  const { start } = query
  return typeof start === 'string' && /^\d{1,4}$/.test(start) ? Number(start) : 0
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

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const table = (differences: readonly Difference[], caption: string): string =>
  html`<div class="scroll" role="region" aria-label="Differences" tabindex="0">
    <table class="cards tight">
      <caption>${caption}</caption>
      <thead><tr><th>Difference</th><th class="number">Here</th><th class="number">At the provider</th><th>Payment</th><th>Kind</th><th>Key</th><th class="number">Line</th></tr></thead>
      <tbody>!${differences.map(row)}</tbody>
    </table>
  </div>`

const row = ({ difference, key, kind, here, there, line, reference, businessId }: Difference): string =>
  html`<tr>
    <td data-label="Difference">${difference}</td>
    <td data-label="Here" class="number">${shown(here)}</td>
    <td data-label="At the provider" class="number">${shown(there)}</td>
    <td data-label="Payment">!${reference === null ? 'unknown here' : paymentLinks(reference, businessId)}</td>
    <td data-label="Kind">${kind ?? 'unknown'}</td>
    <td data-label="Key" class="id"><bdi>${key}</bdi></td>
    <td data-label="Line" class="number">${line ?? 'none'}</td>
  </tr>`

const paymentLinks = (reference: string, businessId: string | null): string =>
  html`<a class="id" href="${paymentPath(reference)}">${reference}</a>
    !${businessId === null ? '' : html`<a href="${businessPath(businessId)}">business</a>`}`

/** Formats a value of a difference. A number is an amount in centimes. */
function shown(value: Difference['here']): string {
  if (value === null) return 'missing'
  return typeof value === 'number' ? money(value) : value
}
