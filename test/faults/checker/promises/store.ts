import { isDeepStrictEqual } from 'node:util'
import type { OrderDocument, ProductDocument } from '../../../invariants/documents.ts'
import { groupsOf, sumOf } from '../../../invariants/groups.ts'
import { type Call, having } from '../../evidence/evidence.ts'
import { isDone, isUnknown, type Request } from '../requests.ts'
import { dataOf } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'

/** One of the amounts applies, but it's unknown which. */
type Change = { variant: string; amounts: number[] }
type Line = { productId: string; variantId?: string; variantLabel?: string; quantity: number }
type StockBody = { stock?: number; delta?: number }

const stockBalances: Check = function* (round) {
  const { dump, requests, setting } = round
  const restocked = having(requests, 'stock').filter((each) => isDone(each) || isUnknown(each))
  const changes = [
    ...restocked.map((request) => ({ variant: changedBy(round, request), amounts: deltasOf(request) })),
    ...dump.orders.flatMap(salesOf),
    ...having(requests, 'order').flatMap((request) => cleanedSales(round, request)),
  ]
  // A count replaces the stock, so it's unknown which changes came before it.
  const isCount = ({ calls }: Request) => calls.some(({ body }) => (body as StockBody).stock !== undefined)
  const counted = new Set(restocked.filter(isCount).map((request) => changedBy(round, request)))
  const byVariant = groupsOf(changes, ({ variant }) => variant)
  for (const { product, variant, quantity } of setting.stock) {
    const stored = dump.products.find(({ _id }) => _id === product)
    const stock = stored?.variants.find(({ _id }) => _id === variant)?.stock
    if (stock === undefined || counted.has(variant)) continue
    if (!isPossible(stock, quantity, byVariant.get(variant) ?? []))
      yield [`${product} ${variant}`, `has ${stock} in stock, not ${quantity} plus its changes`]
  }
  yield* round.broken('stock conserved')
}

/** With more uncertain changes, any stock between the minimum and the maximum passes. */
const maxUncertain = 14

function isPossible(stock: number, quantity: number, changes: Change[]): boolean {
  const least = quantity + sumOf(changes, ({ amounts }) => Math.min(...amounts))
  const most = quantity + sumOf(changes, ({ amounts }) => Math.max(...amounts))
  const uncertain = changes.filter(({ amounts }) => amounts.length > 1)
  if (uncertain.length > maxUncertain) return least <= stock && stock <= most
  let sums = new Set([quantity])
  for (const { amounts } of changes)
    sums = new Set([...sums].flatMap((sum) => amounts.map((one) => sum + one)))
  return sums.has(stock)
}

const salesOf = ({ items }: Pick<OrderDocument, 'items'>): Change[] =>
  items.map(({ variantId, quantity }) => ({ variant: variantId, amounts: [-quantity] }))

function deltasOf(request: Request): number[] {
  const calls = request.calls.filter(({ began }) => began < request.ended)
  const deltas = [...new Set(calls.map(({ body }) => body as StockBody).map(({ delta = 0 }) => delta))]
  const twice = deltas.flatMap((one) => deltas.map((other) => one + other))
  if (request.isAcrossDays) return [0, ...deltas, ...twice]
  return isDone(request) ? deltas : [0, ...deltas]
}

function changedBy(round: Round, { path }: Request): string {
  const [, product = '', name = ''] = /\/products\/([0-9a-f]{24})\/variants\/([^/]+)\/stock/.exec(path) ?? []
  return variantNamed(round, product, decodeURIComponent(name))
}

function variantNamed({ dump }: Round, product: string, idOrLabel: string): string {
  const variants = dump.products.find(({ _id }) => _id === product)?.variants ?? []
  return variants.find(({ _id, label }) => _id === idOrLabel || label === idOrLabel)?._id ?? ''
}

function cleanedSales(round: Round, request: Request): Change[] {
  const order = isDone(request) ? dataOf<OrderDocument>(request.settled) : null
  const stored = new Set(round.dump.orders.map(({ number }) => number))
  if (order !== null) return stored.has(order.number) ? [] : salesOf(order)
  const createdAt = round.times.shownAt(request.began)
  if (!isUnknown(request) || !round.mayBeCleaned({ ...request, createdAt })) return []
  return ((request.calls[0] as Call).body as { items: Line[] }).items.map((line) => ({
    variant: variantNamed(round, line.productId, line.variantId ?? line.variantLabel ?? ''),
    amounts: [0, -line.quantity],
  }))
}

const orderExact: Check = function* (round) {
  yield* round.broken('order totals')
  const { orders, products } = round.dump
  const changed = new Set(having(round.requests, 'product.update').map(({ path }) => path.split('/').at(-1)))
  const lasting = products.filter(({ _id, handle }) => handle === _id && !changed.has(_id))
  const prices = new Map(lasting.flatMap(({ variants }) => variants.map(({ _id, price }) => [_id, price])))
  for (const { number, items } of orders)
    for (const { variantId, unitPrice } of items)
      if (unitPrice !== (prices.get(variantId) ?? unitPrice)) yield [number, `sells ${variantId} otherwise`]
  const byNumber = new Map(orders.map((order) => [order.number, order]))
  for (const { request, data, call } of round.done<OrderDocument & { createdAt: string }>('order')) {
    const stored = byNumber.get(data.number)
    const made = { sandbox: request.sandbox, createdAt: Date.parse(data.createdAt) }
    if (stored === undefined && round.mayBeCleaned(made)) continue
    const isSame =
      stored?.businessId === request.businessId &&
      stored.sandbox === request.sandbox &&
      isDeepStrictEqual(stored.items.map(lineOf), data.items.map(lineOf))
    if (!isSame) yield [data.number, `is not there as call ${call} showed it`]
  }
}

const lineOf = ({ productId, variantId, unitPrice, quantity }: OrderDocument['items'][number]) =>
  [productId, variantId, unitPrice, quantity].join(' ')
type File = { request: Request; rows: Map<string, string[]> }

const importWhole: Check = function* (round) {
  const files = having(round.requests, 'import')
    .filter((request) => isDone(request) || isUnknown(request))
    .map((request) => ({ request, rows: rowsIn(request) }))
  const imported = round.dump.products.filter((each) => each.handle !== each._id && each.deletedAt === null)
  const shopOf = ({ businessId, sandbox }: Pick<Request, 'businessId' | 'sandbox'>) =>
    `${businessId} ${sandbox}`
  const products = groupsOf(imported, shopOf)
  const filesOf = groupsOf(files, ({ request }) => shopOf(request))
  for (const shop of new Set([...products.keys(), ...filesOf.keys()])) {
    const byHandle = new Map((products.get(shop) ?? []).map((product) => [product.handle, product]))
    yield* inShop(round, filesOf.get(shop) ?? [], byHandle)
  }
}

function rowsIn({ calls }: Request): File['rows'] {
  const body = calls[0]?.body as string | { csv: string }
  const rows = (typeof body === 'string' ? body : body.csv).split('\n').slice(1)
  const byHandle = groupsOf(
    rows.map((line) => line.split(',')),
    ([handle = '']) => handle,
  )
  return new Map([...byHandle].map(([handle, own]) => [handle, own.map((row) => row.slice(4).join())]))
}

function* inShop(round: Round, files: File[], products: Map<string, ProductDocument>): Findings {
  const naming = (handle: string): File[] => files.filter(({ rows }) => rows.has(handle))
  const fits = (file: File, handle: string) => file.rows.get(handle)?.join() === rowOf(products.get(handle))
  // A product that matches this file and no other proves that the file was imported.
  const isShown = (file: File): boolean =>
    [...file.rows.keys()].some(
      (handle) =>
        fits(file, handle) && !naming(handle).some((other) => other !== file && fits(other, handle)),
    )
  const mayBeGone = ({ request: { sandbox, began } }: File): boolean =>
    round.mayBeCleaned({ sandbox, createdAt: round.times.shownAt(began) })
  for (const file of files.filter((each) => isDone(each.request) || isShown(each)))
    for (const [handle, row] of file.rows) {
      if (!products.has(handle) && naming(handle).some(mayBeGone)) continue
      const later = naming(handle).filter(({ request }) => request.ended >= file.request.began)
      if (!later.some((each) => fits(each, handle)))
        yield [handle, `is ${rowOf(products.get(handle))}, but was imported as ${row.join()}`]
    }
  for (const [handle, product] of products)
    if (!naming(handle).some((file) => fits(file, handle))) yield [handle, `is ${rowOf(product)} in no file`]
}

const rowOf = (product: ProductDocument | undefined): string =>
  product?.variants.map(({ price, stock }) => `${price},${stock}`).join() ?? 'not there'

export const ofStore = {
  'stock.balances': stockBalances,
  'order.exact': orderExact,
  'import.whole': importWhole,
}
