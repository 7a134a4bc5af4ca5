import { type ExportKind, exportLedgerQuery } from '../../../schemas/ledger.ts'
import { described, largestExact, text } from '../../../schemas/responses/fields.ts'
import * as example from './ledger-exports-example.ts'
import type { About } from './openapi-text.ts'

/** The rules that apply to every export. */
const rules = [
  'The lines are in the order in which they were booked. `statementDay` is the UTC day of `bookedAt`: the sums of a statement are those of the lines with its day. `day` is the day of the payment, refund or payout itself, which can be earlier. The `number` is the one of GET /dev/balance/entries, and increases from line to line.',
  'In CSV, each amount is a decimal number, and the last columns repeat it in centimes. A single quote precedes any text that a spreadsheet could execute as a formula. In JSON lines, amounts are in centimes, and texts are unchanged.',
  'If a download is cut off, repeat the request with `after` and the `number` of the last complete line.',
].join('\n\n')

const about = (kind: ExportKind, operationId: string, summary: string, description: string): About => ({
  operationId,
  tag: 'Exports',
  summary,
  description: `${description}\n\n${rules}`,
  query: exportLedgerQuery,
  response: described('The CSV file.', text(largestExact)),
  lines: {
    schema: described('One JSON object per line.', text(largestExact)),
    example: example.fileOf(kind, 'jsonl'),
  },
  example: { query: example.period, response: example.fileOf(kind, 'csv') },
})

export const aboutLedgerExports: Record<ExportKind, About> = {
  payments: about(
    'payments',
    'exportPayments',
    'Export payments to a file',
    'Returns the payments of a period, one line per payment, with the fees of the merchant and the payer.',
  ),
  refunds: about(
    'refunds',
    'exportRefunds',
    'Export refunds to a file',
    'Returns the completed refunds of a period, one line per refund, with the fees that were given back.',
  ),
  entries: about(
    'entries',
    'exportLedgerEntries',
    'Export ledger entries to a file',
    'Returns all changes of the balance in a period: payments, refunds, fees and payouts. Each line has the balance after it.',
  ),
}
