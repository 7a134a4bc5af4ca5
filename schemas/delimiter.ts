export type CsvDelimiter = ',' | ';'

const delimiterNames = ['comma', 'semicolon', ',', ';'] as const
type DelimiterName = (typeof delimiterNames)[number]

export const delimiterSchema = {
  description: 'The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon.',
  enum: delimiterNames,
} as const

export const readDelimiter = (name: DelimiterName = ','): CsvDelimiter =>
  name === ';' || name === 'semicolon' ? ';' : ','
