import type { Router } from 'express'
import { html } from 'ghtml'
import { downloadFor } from '../http/operations/run-for.ts'
import { errorSummaryOf } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import type { Visit } from '../people-pages/visit.ts'
import { type FilterFields, readFiltered, renderFilterField } from './money-filter.ts'
import { type MoneyLocale, moneyLocaleOf } from './money-locale.ts'

/** A download may take longer than a page. */
export function addPaymentExport(router: Router): void {
  router.get('/payments/export', serveVisit('export-payments', exportPayments, { isSlow: true }))
}

const operations = {
  payments: 'exportPayments',
  refunds: 'exportRefunds',
  entries: 'exportLedgerEntries',
} as const

export const fileForms = {
  semicolon: { format: 'csv', delimiter: 'semicolon' },
  comma: { format: 'csv', delimiter: 'comma' },
  jsonl: { format: 'jsonl' },
} as const

function fieldsOf({ words }: MoneyLocale): FilterFields {
  const { exports } = words.payments
  return {
    kind: [exports.kind, exports.kinds],
    from: [words.filter.from, 'date'],
    to: [words.filter.to, 'date'],
    file: [exports.format, words.files],
  }
}

/** Without `kind` and `file`, nobody has sent the form yet. */
async function exportPayments(visit: Visit): Promise<VisitResult> {
  const { deps, res, caller, base } = visit
  const locale = moneyLocaleOf(res)
  const { words, code: language } = locale
  const { exports } = words.payments
  const fields = fieldsOf(locale)
  const filtered = await readFiltered(visit, fields, async ({ kind = '', file = '', from, to }) => {
    if (!Object.hasOwn(operations, kind) || !Object.hasOwn(fileForms, file)) return 'form'
    const form = fileForms[file as keyof typeof fileForms]
    const named = form.format === 'csv' ? { language } : {}
    const query = { ...form, ...named, ...(from && { from }), ...(to && { to }) }
    await downloadFor(deps, res, caller, operations[kind as keyof typeof operations], { query })
    return 'sent'
  })
  const { faults, status } = filtered
  if (filtered.data === 'sent') return 'sent'
  const shown = Object.entries(fields).map(([name, field]) => renderFilterField(name, field, filtered))
  const body = html`!${errorSummaryOf(res, { faults }, words.problem)}<h1>${exports.title}</h1>
<p class="faint">${exports.hint}</p>
<form action="${base}/payments/export" novalidate>!${shown}<button>${exports.button}</button></form>
<p><a href="${base}/payments">${words.payments.search.all}</a></p>`
  return { status, title: exports.title, body, current: `${base}/payments`, isNarrow: true }
}
