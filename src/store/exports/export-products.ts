import { stringify } from 'csv-stringify/sync'
import type { Delimiter } from '../../../schemas/export-products.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { longestReadMs } from '../../input/pagination.ts'
import { pastMongoose } from '../../mongo/collection.ts'
import { readInSlices, restAfter } from '../../process/in-slices.ts'
import { columns } from '../imports/file/row.ts'
import { requireShop } from '../shops/open-shop.ts'
import { type ExportedProduct, type ExportedRow, rowsOf } from './rows-of.ts'

/** How many rows are made into text at once: some 10 kB, and no more than 2 MB however long their texts are. */
const rowsAtOnce = 100
/** Products per read. The largest take 70 kB each. */
const productsAtOnce = 50

const fields = { createdAt: 1, handle: 1, name: 1, description: 1, active: 1, variants: 1 } as const

/**
 * The caller's products as the text of a CSV file that an import of it would change nothing by, oldest first, read while it is taken.
 * SHOP_NOT_FOUND. A text goes out as it is, also one that a spreadsheet takes for a formula.
 */
export async function* exportProducts(
  deps: Pick<Deps, 'Shop' | 'lists'>,
  caller: Caller,
  delimiter: Delimiter,
): AsyncGenerator<string, void, undefined> {
  const free = await deps.lists.exports.take(caller.businessId, isNeverGone)
  try {
    await requireShop(deps, caller)
    let text = beginningOf(delimiter)
    let rows: ExportedRow[] = []
    for await (const product of eachProduct(deps, caller)) {
      rows.push(...rowsOf(product))
      if (rows.length < rowsAtOnce) continue
      const beganAt = performance.now()
      const written = text + textOf(rows, delimiter)
      const tookMs = performance.now() - beganAt
      yield written
      text = ''
      rows = []
      // A page of large products is 50 such texts. While its client reads quickly, no other request would be served in between.
      await restAfter(tookMs)
    }
    if (text !== '' || rows.length > 0) yield text + textOf(rows, delimiter)
  } finally {
    free()
  }
}

/** No check is needed: when the download ends, so does the generator. */
const isNeverGone = () => false

/** The caller's products, oldest first, read page by page. Holds no connection and no cursor between pages, however slow the client is. */
async function* eachProduct(
  { lists }: Pick<Deps, 'lists'>,
  { businessId, sandbox }: Caller,
): AsyncGenerator<ExportedProduct, void, undefined> {
  let last: ExportedProduct | null = null
  for (;;) {
    const where = { businessId, sandbox, listed: true, ...after(last) }
    const page: ExportedProduct[] = []
    await lists.run(`export ${businessId}`, isNeverGone, ({ Product }) =>
      readInSlices(
        pastMongoose(Product)
          .find(where, { hint: 'byTime', maxTimeMS: longestReadMs, limit: productsAtOnce })
          .project<ExportedProduct>(fields)
          .sort({ createdAt: 1, _id: 1 }),
        (product) => void page.push(product),
      ),
    )
    yield* page
    last = page.at(-1) ?? null
    if (last === null || page.length < productsAtOnce) return
  }
}

/** A filter for the products after this one. An import creates many in the same millisecond. */
const after = (last: ExportedProduct | null) =>
  last === null
    ? {}
    : {
        createdAt: { $gte: last.createdAt },
        $or: [{ createdAt: { $gt: last.createdAt } }, { _id: { $gt: last._id } }],
      }

/** The header. Excel tells UTF-8 by a byte order mark; programs would take it for a part of the first name. */
const beginningOf = (delimiter: Delimiter): string =>
  `${delimiter === ';' ? '\uFEFF' : ''}${columns.join(delimiter)}\r\n`

/** All text in quotes: so each survives, whatever is in it. */
const textOf = (rows: ExportedRow[], delimiter: Delimiter): string =>
  stringify(rows, { columns: [...columns], delimiter, quoted_string: true, record_delimiter: '\r\n' })
