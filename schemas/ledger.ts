import { delimiterSchema } from './delimiter.ts'
import { described, listQuerySchema, querySchema, type SchemaValue, spanSchemas } from './requests.ts'

export const exportKinds = ['payments', 'refunds', 'entries'] as const
export type ExportKind = (typeof exportKinds)[number]

export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportLanguages = ['en', 'fr', 'ar'] as const
export type ExportLanguage = (typeof exportLanguages)[number]

export const exportLedgerQuery = querySchema({
  ...spanSchemas('Only lines booked', ' Defaults to now.'),
  format: described('`csv`, or `jsonl` for one JSON object per line. Defaults to `csv`.', {
    enum: exportFormats,
  }),
  delimiter: {
    ...delimiterSchema,
    description: `${delimiterSchema.description} With a semicolon, decimal numbers have a comma. Only for \`csv\`.`,
  },
  language: described(
    'The language of the column names and of the types of entries. Defaults to English. Only for `csv`.',
    { enum: exportLanguages },
  ),
  after: described(
    'Only lines with a higher `number`, without the column names. Resumes a download after its last complete line.',
    { type: 'string', format: 'entry-number' },
  ),
})

export type ExportLedgerQuery = SchemaValue<typeof exportLedgerQuery>

export const ledgerEntryTypes = ['payment', 'refund', 'fee', 'payout'] as const
export type LedgerEntryType = (typeof ledgerEntryTypes)[number]

const bookedSpan = spanSchemas('Only items booked')

export const listEntriesQuery = listQuerySchema({
  type: { description: 'Only entries of this type.', enum: ledgerEntryTypes },
  ...bookedSpan,
})

export const listRefundsQuery = listQuerySchema(bookedSpan)

export type ListRefundsQuery = SchemaValue<typeof listRefundsQuery>

export type ListEntriesQuery = SchemaValue<typeof listEntriesQuery>

const delimiter = {
  ...delimiterSchema,
  description: `Only for a CSV response. ${delimiterSchema.description}`,
}

export const listStatementsQuery = querySchema({
  month: described('The month, such as `2026-11`. By default, the current month in UTC.', {
    type: 'string',
    pattern: '^[2-9][0-9]{3}-(0[1-9]|1[0-2])$',
    maxLength: 7,
    message: 'must be a month from 2000-01 to the current month, such as 2026-11',
  }),
  delimiter,
})

export const getStatementQuery = querySchema({ delimiter })

export type ListStatementsQuery = SchemaValue<typeof listStatementsQuery>
