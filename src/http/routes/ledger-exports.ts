import { type ExportKind, type ExportLedgerQuery, exportKinds, exportLedgerQuery } from '../../../schemas/ledger.ts'
import { described, largestExact, text } from '../../../schemas/responses/fields.ts'
import { exportLedger } from '../../exports/export-ledger.ts'
import { type About, inSection, type OperationInput } from '../operations/route.ts'
import { csvType } from '../responses/download.ts'

const texts: Record<ExportKind, Pick<About, 'operationId' | 'summary' | 'description'>> = {
  payments: {
    operationId: 'exportPayments',
    summary: 'Export payments to a file',
    description: 'Returns the payments of a period, one line per payment, with the fees of the merchant and the payer.',
  },
  refunds: {
    operationId: 'exportRefunds',
    summary: 'Export refunds to a file',
    description: 'Returns the completed refunds of a period, one line per refund, with the fees that were given back.',
  },
  entries: {
    operationId: 'exportLedgerEntries',
    summary: 'Export ledger entries to a file',
    description:
      'Returns all changes of the balance in a period: payments, refunds, fees and payouts. Each line has the balance after it.',
  },
}

const contentTypes = {
  csv: csvType,
  jsonl: 'application/x-ndjson',
} as const

export const ledgerExportRoutes = inSection(
  'Exports',
  exportKinds.map((kind) => ({
    method: 'get',
    path: `/dev/exports/${kind}`,
    about: {
      ...texts[kind],
      query: exportLedgerQuery,
      response: described(
        'Each amount is a decimal number, and the last columns repeat it in centimes. A single quote precedes any text that a spreadsheet could execute as a formula.',
        text(largestExact),
      ),
      lines: described('One JSON object per line, with amounts in centimes and unchanged texts.', text(largestExact)),
    },
    scope: 'payments.intents:read',
    download: async (deps, caller, { query }: OperationInput<ExportLedgerQuery>) => {
      const { format = 'csv' } = query
      return {
        contentType: contentTypes[format],
        fileName: `${kind}.${format}`,
        pieces: exportLedger(deps, caller, kind, query),
      }
    },
  })),
)
