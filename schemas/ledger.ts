import { bomSchema, delimiterSchema } from './delimiter.ts'
import { described, listQuery, querySchema, type SchemaValue, spanSchemas } from './requests.ts'

export const ledgerExportKinds = ['payments', 'refunds', 'entries'] as const
export type ExportKind = (typeof ledgerExportKinds)[number]

export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportLanguages = ['en', 'fr', 'ar'] as const
export type ExportLanguage = (typeof exportLanguages)[number]

export const exportLedgerQuery = querySchema({
  ...spanSchemas('Only lines booked', ' Defaults to now.'),
  format: { description: '`jsonl` means one JSON object per line. Defaults to `csv`.', enum: exportFormats },
  delimiter: {
    ...delimiterSchema,
    description: `${delimiterSchema.description} With a semicolon, decimals use a comma. Only for \`csv\`.`,
  },
  bom: { ...bomSchema, description: `${bomSchema.description} Only for \`csv\`.` },
  language: {
    description: 'The language of the column names and entry types of a CSV file. Defaults to English.',
    enum: exportLanguages,
  },
  after: described('Resumes a download after the line with this `number`, without the column names.', {
    type: 'string',
    format: 'entry-number',
  }),
})

export type ExportLedgerQuery = SchemaValue<typeof exportLedgerQuery>

export const ledgerEntryTypes = ['payment', 'refund', 'fee', 'payout'] as const
export type LedgerEntryType = (typeof ledgerEntryTypes)[number]

const bookedSpan = spanSchemas('Only items booked')

export const listEntriesQuery = listQuery({
  type: { description: 'Only entries of this type.', enum: ledgerEntryTypes },
  ...bookedSpan,
})

export const listRefundsQuery = listQuery(bookedSpan)

export type ListRefundsQuery = SchemaValue<typeof listRefundsQuery>

export type ListEntriesQuery = SchemaValue<typeof listEntriesQuery>

const csvQuery = {
  delimiter: {
    ...delimiterSchema,
    description: `Only for a CSV response. ${delimiterSchema.description}`,
  },
  bom: { ...bomSchema, description: `Only for a CSV response. ${bomSchema.description}` },
}

export const listStatementsQuery = querySchema({
  month: described('The month, such as `2026-11`. By default, the current month in UTC.', {
    type: 'string',
    pattern: '^[2-9][0-9]{3}-(0[1-9]|1[0-2])$',
    maxLength: 7,
    message: 'must be a month from 2000-01 to the current month, such as 2026-11',
  }),
  ...csvQuery,
})

export const getStatementQuery = querySchema(csvQuery)

export type ListStatementsQuery = SchemaValue<typeof listStatementsQuery>
