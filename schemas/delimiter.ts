/** The characters that can separate the cells of a CSV file. French spreadsheet programs expect a semicolon. */
export type Delimiter = ',' | ';'

/** The values of a query parameter or option that selects the delimiter. */
export const delimiterNames = ['comma', 'semicolon', ',', ';'] as const
export type DelimiterName = (typeof delimiterNames)[number]

/** The query parameter that selects the delimiter of a CSV file. */
export const delimiterQuery = {
  description: 'The delimiter of the cells. Defaults to a comma. French spreadsheet programs expect a semicolon.',
  enum: delimiterNames,
} as const

export const readDelimiter = (name: DelimiterName = ','): Delimiter =>
  name === ';' || name === 'semicolon' ? ';' : ','
