import { type ExportKind, type ExportLedgerQuery, exportKinds } from '../../../schemas/ledger.ts'
import { exportLedger } from '../../exports/export-ledger.ts'
import type { DownloadRoute, OperationInput, Route } from '../operations/route.ts'
import { csvType } from '../responses/download.ts'
import { aboutLedgerExports } from './ledger-exports-openapi.ts'

const contentTypes = {
  csv: csvType,
  jsonl: 'application/x-ndjson',
} as const

const exportOf = (kind: ExportKind): DownloadRoute => ({
  method: 'get',
  path: `/dev/exports/${kind}`,
  about: aboutLedgerExports[kind],
  scope: 'payments.intents:read',
  download: async (deps, caller, { query }: OperationInput<ExportLedgerQuery>) => {
    const { format = 'csv' } = query
    return {
      contentType: contentTypes[format],
      fileName: `${kind}.${format}`,
      pieces: exportLedger(deps, caller, kind, query),
    }
  },
})

/** The operations that export payments, refunds and ledger entries as files. */
export const ledgerExportRoutes: readonly Route[] = exportKinds.map(exportOf)
