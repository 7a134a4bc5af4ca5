import type { OrderDocument } from '../../invariants/documents.ts'
import type { Call } from '../evidence/evidence.ts'
import { having } from './groups.ts'
import { isDone, isUnknown, type Request } from './requests.ts'
import { dataOf } from './responses.ts'
import type { Round } from './round.ts'

/** A change of the stock of a variant by one of the amounts. */
export type Change = { variant: string; amounts: number[] }

type Line = { productId: string; variantId?: string; variantLabel?: string; quantity: number }

type StockBody = { stock?: number; delta?: number }

/** All changes of stock: by merchants, by stored orders, and by orders that the clean-up has removed. */
export function stockChanges(round: Round): { changes: Change[]; counted: Set<string> } {
  const { dump, requests } = round
  const stockRequests = having(requests, 'stock').filter((each) => isDone(each) || isUnknown(each))
  const counts = stockRequests.filter(({ calls }) => calls.some(({ body }) => (body as StockBody).stock !== undefined))
  const changes = [
    ...stockRequests.map((request) => ({ variant: changedBy(round, request), amounts: deltasOf(request) })),
    ...dump.orders.flatMap(salesOf),
    ...having(requests, 'order').flatMap((request) => cleanedSales(round, request)),
  ]
  // A count replaces the stock, so it is unknown which changes came before it.
  return { changes, counted: new Set(counts.map((request) => changedBy(round, request))) }
}

const salesOf = ({ items }: Pick<OrderDocument, 'items'>): Change[] =>
  items.map(({ variantId, quantity }) => ({ variant: variantId, amounts: [-quantity] }))

function deltasOf(request: Request): number[] {
  const bodies = request.calls.filter(({ began }) => began < request.ended).map(({ body }) => body as StockBody)
  const deltas = [...new Set(bodies.map(({ delta = 0 }) => delta))]
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

/** The sales of removed orders. An order with an unknown outcome may have been placed and removed. */
function cleanedSales(round: Round, request: Request): Change[] {
  const order = isDone(request) ? dataOf<OrderDocument>(request.settled) : null
  if (order !== null) return round.dump.orders.some(({ number }) => number === order.number) ? [] : salesOf(order)
  const createdAt = request.began + round.times.aheadAt(request.began).from
  if (!isUnknown(request) || !round.mayBeCleaned({ ...request, createdAt })) return []
  return ((request.calls[0] as Call).body as { items: Line[] }).items.map((line) => ({
    variant: variantNamed(round, line.productId, line.variantId ?? line.variantLabel ?? ''),
    amounts: [0, -line.quantity],
  }))
}
