import { delimiterQuery } from './delimiter.ts'
import { queryOf } from './page.ts'
import { spanOf } from './span.ts'
import type { ValueOf } from './value-of.ts'

/** The contents of an export of the ledger: the payments, the refunds, or all entries. */
export const exportKinds = ['payments', 'refunds', 'entries'] as const
export type ExportKind = (typeof exportKinds)[number]

/** CSV for spreadsheets, or one JSON object per line for programs. */
export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The languages of the header of a CSV file. */
export const exportLanguages = ['en', 'fr', 'ar'] as const
export type ExportLanguage = (typeof exportLanguages)[number]

/** The query parameters of an export of payments, refunds or ledger entries. */
export const exportLedgerQuery = queryOf({
  ...spanOf('Only lines booked', ' Defaults to now.'),
  format: {
    description: '`csv`, or `jsonl` for one JSON object per line. Defaults to `csv`.',
    enum: exportFormats,
  },
  delimiter: {
    ...delimiterQuery,
    description: `${delimiterQuery.description} With a semicolon, decimal numbers have a comma. Only for \`csv\`.`,
  },
  language: {
    description: 'The language of the column names. Defaults to English. Only for `csv`.',
    enum: exportLanguages,
  },
  after: {
    description:
      'Only lines with a higher `number`, without the column names. Resumes a download after its last complete line.',
    type: 'string',
    format: 'entry-number',
  },
})

export type ExportLedgerQuery = ValueOf<typeof exportLedgerQuery>
