import type { CsvDelimiter, CsvForm } from '../../../schemas/delimiter.ts'
import type { Caller } from '../../businesses/caller.ts'
import { maxListReadMs } from '../../lists/pagination.ts'
import { rawCollection } from '../../mongo/collection.ts'
import { type CsvCell, toCsvHeader, toCsvRows } from '../../platform/csv.ts'
import type { Deps } from '../../platform/deps.ts'
import { readInSlices, restAfterSlice } from '../../platform/in-slices.ts'
import { type ProductColumn, productColumns } from '../imports/rows.ts'
import type { Product } from '../products/product.ts'
import { requireShop } from '../shops/shops.ts'

/** A chunk is usually about 10 kB, and at most 2 MB. */
const rowsPerChunk = 100
/** The largest products take up 70 kB each. */
const productsPerRead = 50

const fields = { createdAt: 1, handle: 1, name: 1, description: 1, active: 1, variants: 1 } as const

const readOptions = {
  hint: 'byTime',
  maxTimeMS: maxListReadMs,
  limit: productsPerRead,
  projection: fields,
  sort: { createdAt: 1, _id: 1 },
} as const

/** Doesn't escape formulas, because importing the file must change nothing. */
export async function* exportProducts(
  deps: Pick<Deps, 'Shop' | 'lists'>,
  caller: Caller,
  form: CsvForm,
): AsyncGenerator<string, void, undefined> {
  await requireShop(deps, caller)
  let text = toCsvHeader(productColumns, form)
  let rows: ExportedRow[] = []
  for await (const product of eachProduct(deps, caller)) {
    rows.push(...rowsOf(product))
    if (rows.length < rowsPerChunk) continue
    const startedAt = performance.now()
    const chunk = text + textOf(rows, form.delimiter)
    const tookMs = performance.now() - startedAt
    yield chunk
    text = ''
    rows = []
    // Without a pause, a fast client's download would block the process.
    await restAfterSlice(tookMs)
  }
  if (text !== '' || rows.length > 0) yield text + textOf(rows, form.delimiter)
}

/** Reads page by page, because a slow client would keep a cursor open. */
async function* eachProduct({ lists }: Pick<Deps, 'lists'>, { businessId, sandbox }: Caller) {
  let last: ExportedProduct | null = null
  for (;;) {
    const where = { businessId, sandbox, listed: true, ...after(last) }
    const page: ExportedProduct[] = []
    await lists.run(`export ${businessId}`, ({ Product }) => {
      const found = rawCollection(Product).find<ExportedProduct>(where, readOptions)
      return readInSlices(found, (product) => void page.push(product))
    })
    yield* page
    last = page.at(-1) ?? null
    if (last === null || page.length < productsPerRead) return
  }
}

/** An import may create many products in the same millisecond. */
const after = (last: ExportedProduct | null) =>
  last === null
    ? {}
    : {
        createdAt: { $gte: last.createdAt },
        $or: [{ createdAt: { $gt: last.createdAt } }, { _id: { $gt: last._id } }],
      }

function textOf(rows: ExportedRow[], delimiter: CsvDelimiter): string {
  const cells = rows.map((row) => productColumns.map((column) => row[column]))
  return toCsvRows(cells, delimiter, 'program')
}

type ExportedProduct = Pick<Product, '_id' | keyof typeof fields>

type ExportedRow = Record<ProductColumn, CsvCell>

const rowsOf = ({ handle = '', name, description, active, variants }: ExportedProduct): ExportedRow[] =>
  variants.map(({ label, sku, price, stock }, index) => ({
    handle,
    ...(index === 0
      ? { name, description: description || null, active: String(active) }
      : { name: null, description: null, active: null }),
    variant_label: label,
    sku,
    price,
    stock,
  }))
