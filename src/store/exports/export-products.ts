import { stringify } from 'csv-stringify/sync'
import type { Delimiter } from '../../../schemas/export-products.ts'
import type { Caller } from '../../businesses/caller.ts'
import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { columns } from '../imports/row.ts'
import { requireShop } from '../shops/open-shop.ts'
import { type ExportedProduct, type ExportedRow, rowsOf } from './rows-of.ts'

/** How many rows are made into text at once: some 10 kB, and no more than 2 MB however long their texts are. */
const rowsAtOnce = 100
/** How many products MongoDB hands over at once: the largest are some 50 kB each. */
const productsAtOnce = 50

const fields = { _id: 0, handle: 1, name: 1, description: 1, active: 1, variants: 1 } as const

/**
 * The caller's products as the text of a CSV file that an import of it would change nothing by, oldest first, read while it is taken.
 * SHOP_NOT_FOUND. A text goes out as it is, also one that a spreadsheet takes for a formula.
 */
export async function* exportProducts(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  caller: Caller,
  delimiter: Delimiter,
): AsyncGenerator<string, void, undefined> {
  await requireShop(deps, caller)
  const { businessId, sandbox } = caller
  const found = pastMongoose(deps.Product)
    .find({ businessId, sandbox, listed: true })
    .project<ExportedProduct>(fields)
    .sort({ createdAt: 1, _id: 1 })
    .batchSize(productsAtOnce)

  let text = beginningOf(delimiter)
  let rows: ExportedRow[] = []
  for await (const product of found) {
    rows.push(...rowsOf(product))
    if (rows.length < rowsAtOnce) continue
    yield text + textOf(rows, delimiter)
    text = ''
    rows = []
  }
  if (text !== '' || rows.length > 0) yield text + textOf(rows, delimiter)
}

/** The header. Excel tells UTF-8 by a byte order mark; programs would take it for a part of the first name. */
const beginningOf = (delimiter: Delimiter): string =>
  `${delimiter === ';' ? '\uFEFF' : ''}${columns.join(delimiter)}\r\n`

/** All text in quotes: so each survives, whatever is in it. */
const textOf = (rows: ExportedRow[], delimiter: Delimiter): string =>
  stringify(rows, { columns: [...columns], delimiter, quoted_string: true, record_delimiter: '\r\n' })
