import { delimiterQuery } from './delimiter.ts'
import { queryOf } from './page.ts'
import type { ValueOf } from './value-of.ts'

/** The query parameters of a product export. */
export const exportProductsQuery = queryOf({ delimiter: delimiterQuery })

export type ExportProductsQuery = ValueOf<typeof exportProductsQuery>
