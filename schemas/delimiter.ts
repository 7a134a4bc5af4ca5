export type CsvDelimiter = ',' | ';'

const delimiterNames = ['comma', 'semicolon', ',', ';'] as const
type DelimiterName = (typeof delimiterNames)[number]

export const delimiterSchema = {
  description: 'The cell delimiter. Defaults to a comma. French spreadsheet programs expect a semicolon.',
  enum: delimiterNames,
} as const

export const bomSchema = {
  description:
    'Whether the file begins with a byte order mark, which Excel needs. By default, only a file with semicolons does.',
  enum: ['true', 'false'],
} as const

export const csvParams = ['delimiter', 'bom'] as const

export interface CsvForm {
  delimiter: CsvDelimiter
  hasBom: boolean
}

export function readCsvForm(query: { delimiter?: DelimiterName; bom?: 'true' | 'false' }): CsvForm {
  const delimiter = query.delimiter === ';' || query.delimiter === 'semicolon' ? ';' : ','
  return { delimiter, hasBom: query.bom === undefined ? delimiter === ';' : query.bom === 'true' }
}
