import type { Router } from 'express'
import { html } from 'ghtml'
import { downloadFor } from '../http/operations/run-for.ts'
import { errorSummaryOf } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import type { Visit } from '../people-pages/visit.ts'
import { type FilterFields, readFiltered, renderFields } from './money-filter.ts'
import { moneyLocaleOf } from './money-locale.ts'

/** A download may take longer than a page. */
export function addPaymentExport(router: Router): void {
  router.get('/payments/export', serveVisit('export-payments', exportPayments, { isSlow: true }))
}

const operations = new Map([
  ['payments', 'exportPayments'],
  ['refunds', 'exportRefunds'],
  ['entries', 'exportLedgerEntries'],
] as const)

const files = new Map<string, Record<string, string>>([
  ['semicolon', { format: 'csv', delimiter: 'semicolon' }],
  ['comma', { format: 'csv', delimiter: 'comma' }],
  ['jsonl', { format: 'jsonl' }],
])

/** Shows the form if it hasn't been sent yet, or if a date is wrong. */
async function exportPayments(visit: Visit): Promise<VisitResult> {
  const { deps, res, caller, base } = visit
  const { words, code: language } = moneyLocaleOf(res)
  const { exports, search } = words.payments
  const fields: FilterFields = {
    kind: [exports.kind, exports.kinds],
    from: [words.filter.from, 'date'],
    to: [words.filter.to, 'date'],
    file: [exports.format, words.files],
  }
  const filtered = await readFiltered(visit, fields, async ({ kind, file = '', ...span }) => {
    const operation = operations.get(kind as 'payments')
    const form = files.get(file)
    if (operation === undefined || form === undefined) return false
    const query = { ...form, ...(file !== 'jsonl' && { language }), ...span }
    await downloadFor(deps, res, caller, operation, { query })
    return true
  })
  if (filtered.data === true) return 'sent'
  const { faults, status } = filtered
  const path = `${base}/payments`
  const body = html`!${errorSummaryOf(res, { faults }, words.problem)}<h1>${exports.title}</h1>
<p class="faint">${exports.hint}</p>
<form action="${path}/export" novalidate>!${renderFields(fields, filtered)}<button>${exports.button}</button></form>
<p><a href="${path}">${search.all}</a></p>`
  return { status, title: exports.title, body, current: path, isNarrow: true }
}
