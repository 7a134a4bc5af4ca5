import type { ProductDocument } from '../../../invariants/documents.ts'
import { groupsOf, having } from '../groups.ts'
import { isDone, isUnknown, type Request } from '../requests.ts'
import type { Check, Findings, Round } from '../round.ts'

/** A file of products. `rows`: price and stock of each row by handle. */
type File = { request: Request; rows: Map<string, string[]> }

/** A file of products is imported whole or not at all, and each imported product matches a file. */
export const importWhole: Check = function* (round) {
  const files = having(round.requests, 'import')
    .filter((request) => isDone(request) || isUnknown(request))
    .map((request) => ({ request, rows: rowsIn(request) }))
  const imported = round.dump.products.filter(({ _id, handle, deletedAt }) => handle !== _id && deletedAt === null)
  const shopOf = ({ businessId, sandbox }: { businessId: string; sandbox: boolean }) => `${businessId} ${sandbox}`
  const products = groupsOf(imported, shopOf)
  const filesOf = groupsOf(files, ({ request }) => shopOf(request))
  for (const shop of new Set([...products.keys(), ...filesOf.keys()])) {
    const byHandle = new Map((products.get(shop) ?? []).map((product) => [product.handle, product]))
    yield* inShop(round, filesOf.get(shop) ?? [], byHandle)
  }
}

/** The columns are handle, name, label, SKU, price and stock. The traffic's files have no quotes. */
function rowsIn({ calls }: Request): File['rows'] {
  const body = calls[0]?.body as string | { csv: string }
  const rows = (typeof body === 'string' ? body : body.csv).split('\n').slice(1)
  const cells = rows.map((line) => line.split(','))
  const byHandle = groupsOf(cells, ([handle = '']) => handle)
  return new Map([...byHandle].map(([handle, own]) => [handle, own.map((row) => row.slice(4).join())]))
}

function* inShop(round: Round, files: File[], products: Map<string, ProductDocument>): Findings {
  const naming = (handle: string): File[] => files.filter(({ rows }) => rows.has(handle))
  const fits = (file: File, handle: string): boolean => file.rows.get(handle)?.join() === rowOf(products.get(handle))
  // If a product matches this file and no other, this file was imported.
  const isShown = (file: File): boolean =>
    [...file.rows.keys()].some(
      (handle) => fits(file, handle) && naming(handle).every((other) => other === file || !fits(other, handle)),
    )
  const mayBeGone = ({ request: { sandbox, began } }: File): boolean =>
    round.mayBeCleaned({ sandbox, createdAt: began + round.times.aheadAt(began).from })
  for (const file of files.filter((each) => isDone(each.request) || isShown(each)))
    for (const [handle, row] of file.rows) {
      if (!products.has(handle) && naming(handle).some(mayBeGone)) continue
      // A later file may have changed the product.
      const later = naming(handle).filter(({ request }) => request.ended >= file.request.began)
      if (!later.some((each) => fits(each, handle)))
        yield [handle, `is ${rowOf(products.get(handle))}, but was imported as ${row.join()}`]
    }
  for (const [handle, product] of products)
    if (!naming(handle).some((file) => fits(file, handle))) yield [handle, `is ${rowOf(product)}, as no file says`]
}

/** Price and stock as in a file. */
const rowOf = (product: ProductDocument | undefined): string =>
  product?.variants.map(({ price, stock }) => `${price},${stock}`).join() ?? 'not there'
