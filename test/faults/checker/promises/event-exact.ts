import type { DeliveryDocument, EndpointDocument, IntentDocument } from '../documents.ts'
import { steadyEndpoints } from '../endpoints.ts'
import { groupsOf, repeatedOf } from '../groups.ts'
import type { Check, Findings, Round } from '../round.ts'
import { lateMs } from '../times.ts'

/** An event that must exist. */
type Due = { event: string; status: string; refund?: string }

/** An intent or an order with its due events. `isWhole`: the document still has all of them. */
interface Source extends Pick<IntentDocument, 'referenceNumber' | 'businessId' | 'sandbox' | 'createdAt'> {
  due: Due[]
  isWhole: boolean
}

/** How many attempts the document of an intent keeps. */
const maxAttempts = 50

/** The intents and orders. */
export const sourcesIn = ({ dump }: Round): Source[] => [
  ...dump.intents.map((intent) => {
    return { ...intent, due: eventsOf(intent), isWhole: intent.attempts.length < maxAttempts }
  }),
  ...dump.orders
    .filter(({ status }) => status === 'PLACED')
    .map((order) => {
      const due = [{ event: 'order.new', status: 'PLACED' }]
      return { ...order, referenceNumber: order.number, due, isWhole: true }
    }),
]

/** Exactly the due events exist, each with one delivery to each subscribed endpoint. */
export const eventExact: Check = function* (round) {
  const steady = groupsOf(steadyEndpoints(round), ({ businessId }) => businessId)
  const sources = sourcesIn(round)
  for (const source of sources) {
    const deliveries = round.deliveriesOf.get(source.referenceNumber) ?? []
    yield* noneElse(source, deliveries)
    // The clean-up may have removed some deliveries of an old source.
    if (round.mayBeCleaned(source)) continue
    for (const endpoint of steady.get(source.businessId) ?? []) yield* eachOne(source, deliveries, endpoint)
  }
  const known = new Set(sources.map(({ referenceNumber }) => referenceNumber))
  for (const { referenceNumber, event, _id } of round.dump.deliveries)
    if (!known.has(referenceNumber))
      yield [referenceNumber, `does not exist, and delivery ${_id} is ${event} of it`]
}

/** SPEC 6.1 */
function eventsOf({ attempts, payment, refunds, cancellationReason }: IntentDocument): Due[] {
  const failed = attempts.filter(
    ({ kind, outcome }) => kind === 'payment' && ['declined', 'failed'].includes(outcome),
  )
  const refunded = refunds.filter(({ status }) => status === 'SUCCEEDED')
  const cancelled = cancellationReason === 'expired' ? 'payment.expired' : 'payment.cancelled'
  return [
    { event: 'payment.created', status: 'PENDING' },
    ...failed.map(({ outcome }) => {
      return { event: 'payment.failed', status: outcome === 'failed' ? 'FAILED' : 'PENDING' }
    }),
    ...(payment === null ? [] : [{ event: 'payment.confirmed', status: 'PAID' }]),
    ...refunded.map(({ id }) => ({ event: 'payment.refunded', status: 'REFUNDED', refund: id })),
    ...(cancellationReason === null ? [] : [{ event: cancelled, status: 'CANCELLED' }]),
  ]
}

type Reported = Pick<DeliveryDocument, 'event' | 'facts'>
const isOf = ({ event, facts }: Reported, due: Due): boolean =>
  event === due.event && facts.status === due.status && facts.refund?.id === due.refund

/** Removes a reported event from those that are due. Returns whether it was one of them. */
export function takeDue(due: Due[], reported: Reported): boolean {
  const index = due.findIndex((each) => isOf(reported, each))
  if (index >= 0) due.splice(index, 1)
  return index >= 0
}

/** No other event exists, no event exists twice, and all endpoints have the same events. */
function* noneElse({ referenceNumber, due, isWhole }: Source, deliveries: DeliveryDocument[]): Findings {
  const left = [...due]
  for (const [eventId, some] of groupsOf(deliveries, (delivery) => delivery.eventId)) {
    const first = some[0] as DeliveryDocument
    if (!takeDue(left, first) && (isWhole || first.event !== 'payment.failed'))
      yield [referenceNumber, `${first.event} (${eventId}) did not happen, or not twice`]
    if (new Set(some.map(({ facts }) => JSON.stringify(facts))).size > 1)
      yield [referenceNumber, `event ${eventId} reports different things to different endpoints`]
    for (const { _id } of repeatedOf(some, ({ endpointId }) => endpointId))
      yield [referenceNumber, `delivery ${_id} is the second one of its event to its endpoint`]
  }
}

function* eachOne(source: Source, deliveries: DeliveryDocument[], endpoint: EndpointDocument): Findings {
  const { referenceNumber, due, createdAt } = source
  const { _id, events } = endpoint
  const left = deliveries.filter(({ endpointId }) => endpointId === _id)
  for (const one of due) {
    const index = left.findIndex((delivery) => isOf(delivery, one))
    if (index >= 0) left.splice(index, 1)
    const isSubscribed = events.includes(one.event)
    if (index >= 0 && !isSubscribed)
      yield [referenceNumber, `endpoint ${_id} did not want ${one.event} and has it`]
    if (index < 0 && isSubscribed && createdAt > endpoint.createdAt + lateMs)
      yield [referenceNumber, `endpoint ${_id} is subscribed to ${one.event} and has no delivery of it`]
  }
}
