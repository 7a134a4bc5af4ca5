import type { Call } from '../../evidence/evidence.ts'
import type { Round } from '../round.ts'
import { dataOf, referenceIn } from '../views/answers.ts'
import { endpointIn } from '../views/subscriptions.ts'
import { mayHaveComeBy, type Reason, type Refusal } from './refusal.ts'

interface Thing {
  businessId: string
  sandbox?: boolean
  createdAt: number
  deletedAt?: number | null
}

/** A thing that MongoDB has was there, for its own; what is not there is told by other promises. */
function mayLack(round: Round, thing: Thing | undefined, refusal: Refusal): boolean {
  const { business, sandbox } = refusal.call
  if (thing === undefined || thing.businessId !== business) return true
  if (thing.sandbox !== undefined && thing.sandbox !== sandbox) return true
  if (round.mayBeCleaned({ sandbox: thing.sandbox ?? false, createdAt: thing.createdAt })) return true
  return (thing.deletedAt ?? null) !== null && mayHaveComeBy(round, thing.deletedAt ?? 0, refusal.span)
}

const lastOf = ({ path }: Call, before: string): string =>
  decodeURIComponent(new RegExp(`/${before}/([^/?]+)`).exec(path)?.[1] ?? '')

export const noIntent: Reason = (round, refusal) =>
  mayLack(round, round.intentOf.get(referenceIn(refusal.call) ?? ''), refusal)

export const noDelivery: Reason = (round, refusal) => {
  const id = lastOf(refusal.call, 'events')
  const delivery = round.dump.deliveries.find(({ _id }) => _id === id)
  const intent = round.intentOf.get(delivery?.referenceNumber ?? '')
  return mayLack(
    round,
    delivery === undefined ? undefined : { ...delivery, createdAt: intent?.createdAt ?? 0 },
    refusal,
  )
}

export const noOrder: Reason = (round, refusal) => {
  const id = lastOf(refusal.call, 'orders')
  const order = round.dump.orders.find(({ _id, status }) => _id === id && status === 'PLACED')
  return mayLack(round, order, refusal)
}

export const noEndpoint: Reason = (round, refusal) =>
  mayLack(round, round.endpointOf.get(endpointIn(refusal.call) ?? ''), refusal)

/** Of an order any of its products. */
export const noProduct: Reason = (round, refusal) => {
  const { call, request } = refusal
  const bodies = (request?.tries ?? [call]).map(
    ({ body }) => body as { items?: { productId: string }[] } | null,
  )
  const ids =
    call.what === 'order'
      ? bodies.flatMap((body) => (body?.items ?? []).map(({ productId }) => productId))
      : [lastOf(call, 'products')]
  return ids.some((id) =>
    mayLack(
      round,
      round.dump.products.find(({ _id }) => _id === id),
      refusal,
    ),
  )
}

/** Who has a shop has products from the first moment on. */
export const noShop: Reason = ({ setting }, { call }) =>
  !setting.stock.some(({ business, sandbox }) => business === call.business && sandbox === call.sandbox)

/** As many as a business may have endpoints (SPEC 8). */
const mostEndpoints = 5

export const tooManyEndpoints: Reason = (round, { call, span }) => {
  const own = round.dump.webhookendpoints.filter(
    ({ businessId, createdAt }) => businessId === call.business && mayHaveComeBy(round, createdAt, span),
  )
  const from = span.from + round.times.aheadAt(span.from).from - round.times.skewAround(span)
  const there = own.filter(({ deletedAt }) => deletedAt === null || deletedAt >= from)
  return there.length + removedEndpoints(round, call.business, span.to).size >= mostEndpoints
}

/** Endpoints created by then that the clean-up has removed since: deleted ones without deliveries. */
const removedEndpoints = (round: Round, business: string | null, by: number): Set<string> =>
  new Set(
    round.calls
      .filter((call) => call.what === 'endpoint.create' && call.business === business && call.began <= by)
      .flatMap((call) => dataOf<{ id: string }>(call)?.id ?? [])
      .filter((id) => !round.endpointOf.has(id)),
  )
