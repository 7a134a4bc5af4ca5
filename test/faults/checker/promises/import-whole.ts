import type { ProductDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { groupsOf, sumOf } from '../views/groups.ts'
import { isDone, isUnknown, type Request } from '../views/requests.ts'
import { changesOf } from '../views/stock-changes.ts'

interface Row {
  price: number
  stock: number
}

/** A file of products, and when on the machine's clock it was imported, if it was. */
interface File {
  request: Request
  /** What it says of each product, by handle. */
  rows: Map<string, Row[]>
  from: number
  to: number
}

/**
 * A file of products is imported whole or not at all: once it was answered good, or one of its products shows that it was imported, each of its products is there as
 * its rows say, or as a later file does, less what was sold. No product that came in a file is as none says.
 */
export const importWhole: Judge = function* (round) {
  const files = filesIn(round)
  const sold = soldIn(round)
  const brought = round.dump.products.filter(
    ({ _id, handle, deletedAt }) => handle !== _id && deletedAt === null,
  )
  const byShop = groupsOf(brought, shopOf)
  const filesOf = groupsOf(files, ({ request }) => shopOf(request))
  for (const shop of new Set([...byShop.keys(), ...filesOf.keys()])) {
    const products = new Map((byShop.get(shop) ?? []).map((product) => [product.handle, product]))
    yield* inShop(round, filesOf.get(shop) ?? [], products, sold)
  }
}

const shopOf = ({
  business,
  businessId,
  sandbox,
}: {
  business?: string
  businessId?: string
  sandbox: boolean
}) => `${business ?? businessId} ${sandbox}`

const filesIn = ({ requests }: Round): File[] =>
  requests
    .filter((request) => request.what === 'import' && (isDone(request) || isUnknown(request)))
    .map((request) => ({
      request,
      rows: rowsIn(request),
      from: Math.min(...request.tries.map(({ began }) => began)),
      to: isUnknown(request) ? Number.POSITIVE_INFINITY : (request.settled?.ended ?? 0),
    }))

/** The traffic's files have no quotes: handle, name, label, SKU, price and stock. */
function rowsIn({ tries }: Request): File['rows'] {
  const body = tries[0]?.body
  const csv = typeof body === 'string' ? body : ((body as { csv?: string } | null)?.csv ?? '')
  const rows = csv
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const byHandle = groupsOf(rows, ([handle = '']) => handle)
  return new Map(
    [...byHandle].map(([handle, some]) => [
      handle,
      some.map(([, , , , price, stock]) => ({ price: Number(price), stock: Number(stock) })),
    ]),
  )
}

/** How many of a product may have been sold, at the most. */
type Sold = (product: ProductDocument) => number

/** Who orders without naming anything gets one unit of whatever there is; where such an order may be gone with the clean-up nobody knows of what. */
function soldIn(round: Round): Sold {
  const changes = groupsOf(changesOf(round), ({ variant }) => variant)
  const unknown = round.requests.filter(
    (request) =>
      request.what === 'order' &&
      isUnknown(request) &&
      round.mayBeCleaned({ sandbox: request.sandbox, createdAt: shownAt(round, request) }),
  )
  return ({ businessId, variants }) =>
    sumOf(
      variants.flatMap(({ _id }) => changes.get(_id) ?? []),
      ({ amounts }) => -Math.min(0, ...amounts),
    ) + unknown.filter(({ business }) => business === businessId).length
}

function* inShop(
  round: Round,
  files: File[],
  products: Map<string, ProductDocument>,
  sold: Sold,
): Generator<Broken> {
  const naming = (handle: string): File[] => files.filter(({ rows }) => rows.has(handle))
  // Which variant a row of several is of depends on what was there.
  const isPlain = (handle: string): boolean =>
    naming(handle).every(({ rows }) => rows.get(handle)?.length === 1)
  const fits = (file: File, handle: string): boolean =>
    isAs(products.get(handle), file.rows.get(handle), sold)
  const judged = files.filter((file) => isDone(file.request) || isShown(file, naming, fits))
  for (const file of judged)
    for (const [handle, [row]] of file.rows) {
      const isGone = !products.has(handle) && naming(handle).some((other) => mayBeGone(round, other))
      if (!isPlain(handle) || isGone) continue
      if (!naming(handle).some((other) => other.to >= file.from && fits(other, handle)))
        yield {
          of: handle,
          says: `${words(products.get(handle))}, and ${file.request.idempotencyKey} imported ${JSON.stringify(row)}`,
        }
    }
  for (const [handle, product] of products)
    if (isPlain(handle) && !naming(handle).some((file) => fits(file, handle)))
      yield { of: handle, says: `${words(product)}, and no file says so` }
}

const words = (product: ProductDocument | undefined): string =>
  product === undefined
    ? 'is not there'
    : product.variants.map(({ price, stock }) => `costs ${price}, ${stock} in stock`).join()

function isAs(product: ProductDocument | undefined, rows: Row[] | undefined, sold: Sold): boolean {
  const [row] = rows ?? []
  const [variant] = product?.variants ?? []
  if (product === undefined || row === undefined || variant === undefined) return false
  const isSold = variant.stock <= row.stock && variant.stock >= row.stock - sold(product)
  return product.variants.length === 1 && variant.price === row.price && isSold
}

/** One of its products is as no other file says. */
const isShown = (
  file: File,
  naming: (handle: string) => File[],
  fits: (file: File, handle: string) => boolean,
): boolean =>
  [...file.rows.keys()].some(
    (handle) => fits(file, handle) && naming(handle).filter((other) => fits(other, handle)).length === 1,
  )

const shownAt = ({ times }: Round, { tries }: Request): number => {
  const from = Math.min(...tries.map(({ began }) => began))
  return from + times.aheadAt(from).from
}

/** It may have been there before the clean-up came, and have gone with it. */
const mayBeGone = (round: Round, { request }: File): boolean =>
  round.mayBeCleaned({ sandbox: request.sandbox, createdAt: shownAt(round, request) })
