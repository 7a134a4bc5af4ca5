import { delimiterQuery } from './delimiter.ts'
import { queryOf } from './page.ts'
import type { ValueOf } from './value-of.ts'

const delimiter = {
  ...delimiterQuery,
  description: `Only for a CSV response. ${delimiterQuery.description}`,
}

/** The query parameters of GET /dev/statements. */
export const listStatementsQuery = queryOf({
  month: {
    description: 'The month, such as `2026-11`. By default, the current month in UTC.',
    type: 'string',
    pattern: '^[2-9][0-9]{3}-(0[1-9]|1[0-2])$',
    maxLength: 7,
    message: 'must be a month from 2000-01 to the current month, such as 2026-11',
  },
  delimiter,
})

/** The query parameters of GET /dev/statements/{day}. */
export const getStatementQuery = queryOf({ delimiter })

export type GetStatementQuery = ValueOf<typeof getStatementQuery>

export type ListStatementsQuery = ValueOf<typeof listStatementsQuery>
