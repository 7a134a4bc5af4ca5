import { delimiterQuery } from './delimiter.ts'
import { described, listQueryOf, queryOf, spanOf, type ValueOf } from './requests.ts'

export const exportKinds = ['payments', 'refunds', 'entries'] as const
export type ExportKind = (typeof exportKinds)[number]

export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportLanguages = ['en', 'fr', 'ar'] as const
export type ExportLanguage = (typeof exportLanguages)[number]

export const exportLedgerQuery = queryOf({
  ...spanOf('Only lines booked', ' Defaults to now.'),
  format: described('`csv`, or `jsonl` for one JSON object per line. Defaults to `csv`.', {
    enum: exportFormats,
  }),
  delimiter: {
    ...delimiterQuery,
    description: `${delimiterQuery.description} With a semicolon, decimal numbers have a comma. Only for \`csv\`.`,
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

export type ExportLedgerQuery = ValueOf<typeof exportLedgerQuery>

export const entryTypes = ['payment', 'refund', 'fee', 'payout'] as const
export type EntryType = (typeof entryTypes)[number]

const bookedSpan = spanOf('Only items booked')

export const listEntriesQuery = listQueryOf({
  type: { description: 'Only entries of this type.', enum: entryTypes },
  ...bookedSpan,
})

export const listRefundsQuery = listQueryOf(bookedSpan)

export type ListRefundsQuery = ValueOf<typeof listRefundsQuery>

export type ListEntriesQuery = ValueOf<typeof listEntriesQuery>

const delimiter = {
  ...delimiterQuery,
  description: `Only for a CSV response. ${delimiterQuery.description}`,
}

export const listStatementsQuery = queryOf({
  month: described('The month, such as `2026-11`. By default, the current month in UTC.', {
    type: 'string',
    pattern: '^[2-9][0-9]{3}-(0[1-9]|1[0-2])$',
    maxLength: 7,
    message: 'must be a month from 2000-01 to the current month, such as 2026-11',
  }),
  delimiter,
})

export const getStatementQuery = queryOf({ delimiter })

export type ListStatementsQuery = ValueOf<typeof listStatementsQuery>
