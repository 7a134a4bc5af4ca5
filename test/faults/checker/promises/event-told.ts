import { isDeepStrictEqual } from 'node:util'
import type { DeliveryDocument, IntentDocument, OrderDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf, referenceIn, refusalOf, type ShownIntent } from '../views/answers.ts'
import { commissionFields, commissionOf, noCommission } from '../views/commission.ts'
import { isDone } from '../views/requests.ts'

/** The envelope of SPEC 6.2. */
interface Body {
  id: string
  event: string
  created_at: string
  sandbox: boolean
  data: Record<string, unknown> & {
    status: string
    refund?: { id: string; amount: number; reason: string | null }
  }
}

/** What events say is true: each field of SPEC 6.2, of the intent as it was then, or of the order. And what an answer acknowledged has its event. */
export const eventTold: Judge = function* (round) {
  const placed = round.dump.orders.filter(({ status }) => status === 'PLACED')
  const orderOf = new Map(placed.map((order) => [order.number, order]))
  for (const delivery of round.dump.deliveries) {
    const body = JSON.parse(delivery.body) as Body
    yield* envelope(delivery, body)
    const intent = round.intentOf.get(delivery.referenceNumber)
    if (intent !== undefined) yield* payment(delivery, body, intent)
    const order = orderOf.get(delivery.referenceNumber)
    if (order !== undefined) yield* ofOrder(delivery, body, order)
  }
  yield* ofFailures(round)
}

function* envelope(
  { _id, event, sandbox, referenceNumber: of }: DeliveryDocument,
  body: Body,
): Generator<Broken> {
  if (body.id !== _id || body.event !== event || body.sandbox !== sandbox)
    yield { of, says: `delivery ${_id} says id ${body.id}, event ${body.event}, sandbox ${body.sandbox}` }
  if (body.data.reference_number !== of)
    yield { of, says: `delivery ${_id} tells of ${String(body.data.reference_number)}` }
}

function* payment(
  { _id }: DeliveryDocument,
  { event, created_at, data }: Body,
  intent: IntentDocument,
): Generator<Broken> {
  const of = intent.referenceNumber
  const isPaid = ['payment.confirmed', 'payment.refunded'].includes(event)
  const paid = isPaid ? intent.payment : null
  const amount = paid?.amountPaid ?? (intent.amountType === 'OPEN' ? null : intent.amount)
  const expected = {
    short_code: intent.shortCode,
    amount,
    currency: 'MRU',
    paid_at: paid === null ? null : new Date(paid.paidAt).toISOString(),
    payer_phone: paid?.payerPhone ?? null,
    metadata: Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value])),
    commission: commissionFields(paid === null ? noCommission : commissionOf(paid.amountPaid)),
  }
  yield* otherwise(of, `${event} (${_id})`, data, expected)
  const refund = intent.refunds.find(({ id }) => id === data.refund?.id)
  const isOther = data.refund?.amount !== refund?.amount || data.refund?.reason !== refund?.reason
  if (data.refund !== undefined && isOther)
    yield {
      of,
      says: `${event} (${_id}) says refund ${JSON.stringify(data.refund)}, and it is ${JSON.stringify(refund)}`,
    }
  const at = timeOf(event, intent)
  if (at !== null && Date.parse(created_at) !== at)
    yield {
      of,
      says: `${event} (${_id}) happened at ${created_at}, and the intent says ${new Date(at).toISOString()}`,
    }
}

function* ofOrder({ _id }: DeliveryDocument, { event, data }: Body, order: OrderDocument): Generator<Broken> {
  const { number, items, total, customer, createdAt } = order
  const lines = items.map(({ productId, variantId, unitPrice, quantity, total: line }) => ({
    product_id: productId,
    variant_id: variantId,
    unit_price: unitPrice,
    quantity,
    total: line,
  }))
  const told = { ...data, items: (data.items as Line[] | undefined)?.map(lineOf) }
  const made = new Date(createdAt).toISOString()
  const expected = {
    _id: order._id,
    number,
    items: lines,
    total,
    currency: 'MRU',
    customer,
    created_at: made,
  }
  yield* otherwise(number, `${event} (${_id})`, told, expected)
}

/** Of a line what the checker knows of it. */
type Line = Record<'product_id' | 'variant_id' | 'unit_price' | 'quantity' | 'total', unknown>
const lineOf = ({ product_id, variant_id, unit_price, quantity, total }: Line): Line => ({
  product_id,
  variant_id,
  unit_price,
  quantity,
  total,
})

function* otherwise(of: string, which: string, told: Body['data'], is: object): Generator<Broken> {
  for (const [field, value] of Object.entries(is))
    if (!isDeepStrictEqual(told[field], value))
      yield {
        of,
        says: `${which} says ${field} ${JSON.stringify(told[field])}, and it is ${JSON.stringify(value)}`,
      }
}

/** When it happened, of those events whose time the intent keeps to the millisecond. */
function timeOf(event: string, intent: IntentDocument): number | null {
  if (event === 'payment.created') return intent.createdAt
  return event === 'payment.cancelled' || event === 'payment.expired' ? intent.updatedAt : null
}

/** A payment that failed was answered 402: its event is due whatever the intent remembers. */
function* ofFailures(round: Round): Generator<Broken> {
  for (const request of round.requests) {
    const { what, settled, business } = request
    const reference = referenceIn(request)
    const intent = reference === null ? undefined : round.intentOf.get(reference)
    if (what !== 'simulate' || settled === null || intent === undefined || round.mayBeCleaned(intent))
      continue
    const failed = refusalOf(settled)
    const isPaid = isDone(request) && dataOf<ShownIntent>(settled) !== null
    const event = isPaid ? 'payment.confirmed' : failed?.code === 'PAYMENT_FAILED' ? 'payment.failed' : null
    if (event === null) continue
    const span = { from: (request.tries[0]?.began ?? 0) - 2000, to: Number.POSITIVE_INFINITY }
    const isDue = round.dump.webhookendpoints.some(
      ({ _id, businessId }) =>
        businessId === business && round.pasts.get(_id)?.subscribed(event, span).always,
    )
    const told = round.deliveriesOf.get(intent.referenceNumber) ?? []
    if (isDue && !told.some((delivery) => delivery.event === event))
      yield {
        of: intent.referenceNumber,
        says: `call ${settled.call} was answered ${settled.status}, and no ${event} was told`,
      }
  }
}
