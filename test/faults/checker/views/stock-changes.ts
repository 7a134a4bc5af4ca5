import type { Call } from '../../evidence/evidence.ts'
import type { OrderDocument } from '../documents.ts'
import type { Round } from '../round.ts'
import { dataOf } from './answers.ts'
import { groupsOf } from './groups.ts'
import { isDone, isUnknown, lateMs, type Request } from './requests.ts'

/** Something that changed the stock of a variant, or may have. */
export interface Change {
  variant: string
  /** When, on the machine's clock. */
  from: number
  to: number
  /** A count; what is added or taken; or what an order held before a count and gave back after it. */
  kind: 'set' | 'delta' | 'givenBack'
  /** What it may have been: more than one where tries of one key asked for different things before one was answered. */
  amounts: number[]
  /** Whether it surely happened. */
  isSure: boolean
}

/** An order's units are taken before its time is read, by the length of a request at most. */
const orderMs = 10_000

/** Everything that moved stock: changes by merchants, orders that are placed, and what others held for a time. */
export const changesOf = (round: Round): Change[] => [
  ...round.requests.filter(({ what }) => what === 'stock').flatMap((request) => changeBy(round, request)),
  ...salesOf(round),
  ...cleanedSalesOf(round),
  ...givenBackOf(round),
]

function changeBy(round: Round, request: Request): Change[] {
  if (!isDone(request) && !isUnknown(request)) return []
  const [, product = '', named = ''] =
    /\/products\/([0-9a-f]{24})\/variants\/([^/]+)\/stock/.exec(request.path) ?? []
  const variant = variantNamed(round, product, decodeURIComponent(named))
  const atLast = Math.max(...request.tries.map(({ ended }) => ended)) + lateMs
  // What was tried after an answer is a replay, but in the next life of its key.
  const endedAt = request.isAcrossDays ? atLast : (request.settled?.ended ?? atLast)
  const bodies = request.tries
    .filter(({ began }) => began < endedAt)
    .map(({ body }) => (body ?? {}) as { stock?: number; delta?: number })
  const span = { from: Math.min(...request.tries.map(({ began }) => began)), to: endedAt }
  return [
    ...groupsOf(bodies, ({ stock }) => (stock === undefined ? ('delta' as const) : ('set' as const))),
  ].map(([kind, some], _index, kinds) => ({
    ...span,
    variant: variant ?? '',
    kind,
    amounts: amountsOf(some, request),
    isSure: isDone(request) && kinds.length === 1 && !request.isAcrossDays,
  }))
}

/** A key that lived past its day may have run again. */
function amountsOf(bodies: { stock?: number; delta?: number }[], { isAcrossDays }: Request): number[] {
  const amounts = new Set(bodies.map(({ stock, delta }) => stock ?? delta ?? 0))
  const isCount = bodies.some(({ stock }) => stock !== undefined)
  return isAcrossDays && !isCount ? [...amounts].flatMap((amount) => [amount, 2 * amount]) : [...amounts]
}

/** By its id or its label; undefined where nobody knows. */
export const variantNamed = (
  { variantsOf }: Pick<Round, 'variantsOf'>,
  product: string,
  idOrLabel: string,
): string | undefined =>
  variantsOf.get(product)?.find(({ _id, label }) => _id === idOrLabel || label === idOrLabel)?._id

function salesOf(round: Round): Change[] {
  const requests = round.requests.filter(({ what }) => what === 'order')
  const byNumber = new Map(
    requests.map((request) => [dataOf<OrderDocument>(request.settled ?? never)?.number, request]),
  )
  return round.dump.orders
    .filter(({ status }) => status === 'PLACED')
    .flatMap((order) => {
      const span = spanOf(round, order, byNumber.get(order.number))
      return order.items.map(({ variantId, quantity }) => ({
        ...span,
        variant: variantId,
        kind: 'delta' as const,
        amounts: [-quantity],
        isSure: true,
      }))
    })
}

export interface AskedLine {
  productId: string
  variantId?: string
  variantLabel?: string
  quantity: number
}

/** Orders that are gone with the clean-up: the answered ones surely were there, of the others each may have been. */
function cleanedSalesOf(round: Round): Change[] {
  const { dump, times } = round
  const numbers = new Set(dump.orders.map(({ number }) => number))
  return round.requests.flatMap((request): Change[] => {
    if (request.what !== 'order') return []
    const [from, to] = [request.tries[0]?.began ?? 0, Math.max(...request.tries.map(({ ended }) => ended))]
    const answered = isDone(request) ? dataOf<OrderDocument>(request.settled ?? never) : null
    if (answered !== null)
      return numbers.has(answered.number)
        ? []
        : answered.items.map(({ variantId: variant, quantity }) => sale(variant, quantity, from, to, true))
    const createdAt = from + times.aheadAt(from).from
    if (!isUnknown(request) || !round.mayBeCleaned({ ...request, createdAt })) return []
    return linesIn(request.tries[0]).map((line) =>
      sale(variantOf(round, line) ?? '', line.quantity, from, to + lateMs, false),
    )
  })
}

/** What a try of an order took that came to nothing goes back when somebody sees to it, on top of what was counted meanwhile. */
function givenBackOf(round: Round): Change[] {
  const tries = round.requests.filter(({ what }) => what === 'order').flatMap((request) => request.tries)
  return tries
    .filter(({ status }) => status === null || status >= 500)
    .flatMap((call) =>
      linesIn(call).map((line) => ({
        variant: variantOf(round, line) ?? '',
        from: call.began,
        to: Number.POSITIVE_INFINITY,
        kind: 'givenBack',
        amounts: [line.quantity],
        isSure: false,
      })),
    )
}

const sale = (variant: string, quantity: number, from: number, to: number, isSure: boolean): Change => ({
  variant,
  from,
  to,
  kind: 'delta',
  amounts: [-quantity],
  isSure,
})

const linesIn = (call: Pick<Call, 'body'> | undefined): AskedLine[] =>
  (call?.body as { items?: AskedLine[] } | null | undefined)?.items ?? []

const variantOf = (
  round: Round,
  { productId, variantId, variantLabel = '' }: AskedLine,
): string | undefined => variantNamed(round, productId, variantId ?? variantLabel)

const never = { status: null, answer: null }

function spanOf({ times }: Round, { createdAt }: OrderDocument, request: Request | undefined) {
  if (request?.settled) return { from: request.tries[0]?.began ?? 0, to: request.settled.ended }
  const made = times.machineTime(createdAt)
  const skewMs = times.skewAround(made)
  return { from: made.from - orderMs - skewMs, to: made.to + orderMs + skewMs }
}
