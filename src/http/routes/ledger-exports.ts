import { type ExportKind, exportLedgerQuery, ledgerExportKinds } from '../../../schemas/ledger.ts'
import { described } from '../../../schemas/requests.ts'
import { maxSafeInteger, textSchema } from '../../../schemas/responses/fields.ts'
import { exportLedger } from '../../exports/export-ledger.ts'
import { declareOperations } from '../operations/route.ts'
import { exportTypes } from '../responses/download.ts'

const { download } = declareOperations('Exports', { read: 'payments.intents:read' })

const texts = {
  payments: {
    operationId: 'exportPayments',
    summary: 'Export payments to a file',
    description:
      "Returns the payments of a period, one line per payment, with the merchant's and the payer's fees.",
  },
  refunds: {
    operationId: 'exportRefunds',
    summary: 'Export refunds to a file',
    description: 'Returns the completed refunds of a period, one line per refund, with the returned fees.',
  },
  entries: {
    operationId: 'exportLedgerEntries',
    summary: 'Export ledger entries to a file',
    description:
      'Returns all changes to the balance during a period: payments, refunds, fees and payouts. Each line also shows the balance after the change.',
  },
} as const satisfies Record<ExportKind, object>

export const ledgerExportRoutes = ledgerExportKinds.map((kind) =>
  download(`/dev/exports/${kind}`, {
    ...texts[kind],
    query: exportLedgerQuery,
    response: described(
      'Each amount is a decimal number, and the last columns repeat it in centimes. A single quote precedes any text that a spreadsheet could execute as a formula.',
      textSchema(maxSafeInteger),
    ),
    lines: described(
      'One JSON object per line, with amounts in centimes and text left as is.',
      textSchema(maxSafeInteger),
    ),
    download: async (deps, caller, { query }) => {
      const { format = 'csv' } = query
      return {
        contentType: exportTypes[format],
        fileName: `${kind}.${format}`,
        pieces: exportLedger(deps, caller, kind, query),
      }
    },
  }),
)
