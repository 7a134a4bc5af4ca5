import type { Deps } from '../../deps.ts'
import { anyTime } from '../../input/span.ts'
import { bodyOf } from '../body/compose.ts'
import { findBodySource } from '../body/find-source.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { deadIn } from './dead-in.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'
import { createResponseFilter } from './filter-responses.ts'

/** A delivery for support staff. Omits the facts, which belong to the merchant and the customer, and the responses. */
export type ListedDelivery = Omit<Delivery, 'facts' | 'effects' | 'unaudited' | 'attemptLog'> & {
  attemptLog: Omit<AttemptRecord, 'answer'>[]
}
/** `isHidden`: the response repeats data of the event that support staff may not see. Then `answer` is null. */
export type TracedAttempt = AttemptRecord & { isHidden: boolean }
/** A `ListedDelivery` with its responses. */
export type TracedDelivery = Omit<ListedDelivery, 'attemptLog'> & { attemptLog: TracedAttempt[] }

/** An endpoint for support staff, without its secrets. */
export type TracedEndpoint = Pick<
  Endpoint,
  '_id' | 'businessId' | 'url' | 'events' | 'active' | 'deletedAt' | 'health' | 'createdAt'
>

const tracedFields = { facts: 0, effects: 0, unaudited: 0, 'attemptLog.answer': 0 }
/** For long lists, which show only the last attempt. */
const listedFields = { facts: 0, effects: 0, unaudited: 0, attemptLog: { $slice: -1 } }
const receiverFields = {
  businessId: 1,
  url: 1,
  events: 1,
  active: 1,
  deletedAt: 1,
  health: 1,
  createdAt: 1,
}

/** Deliveries on the page of a payment: 100 events for each of 5 endpoints, more than a payment normally has. The page still opens. */
export const mostOfOne = 500
/** Fits on a page that is read on a phone. */
const maxListed = 20

type Reads = Pick<Deps, 'Delivery' | 'Endpoint'>

export const lookUpDelivery = (deps: Reads, id: string): Promise<ListedDelivery | null> =>
  deps.Delivery.findOne({ _id: id }, tracedFields).lean<ListedDelivery | null>()

/** The delivery with the responses that support staff may see. */
export async function lookUpResponses(
  deps: Reads & Pick<Deps, 'Intent' | 'Order'>,
  id: string,
): Promise<TracedDelivery | null> {
  const delivery = await deps.Delivery.findOne({ _id: id }).lean<Delivery | null>()
  if (delivery === null) return null
  const { facts: _facts, effects: _effects, unaudited: _unaudited, ...traced } = delivery
  const source = await findBodySource(deps, delivery.referenceNumber)
  // Without the source nothing tells what a response repeats, so all responses are hidden.
  const filter = source === null ? () => null : createResponseFilter(bodyOf(delivery, source))
  return { ...traced, attemptLog: traced.attemptLog.map((attempt) => filtered(attempt, filter)) }
}

function filtered(attempt: AttemptRecord, filter: ReturnType<typeof createResponseFilter>): TracedAttempt {
  if (typeof attempt.answer !== 'string') return { ...attempt, isHidden: false }
  const answer = filter(attempt.answer)
  return { ...attempt, answer, isHidden: answer === null }
}

/** The deliveries of a payment or an order, oldest first, at most `mostOfOne`, without the responses. */
export const deliveriesOf = (deps: Reads, referenceNumber: string): Promise<ListedDelivery[]> =>
  deps.Delivery.find({ referenceNumber }, tracedFields)
    .sort({ createdAt: 1, _id: 1 })
    .limit(mostOfOne)
    .lean<ListedDelivery[]>()

/** The endpoint's DEAD deliveries that died last, each with its last attempt. */
export const latestDeadOf = (deps: Reads, endpointId: string): Promise<ListedDelivery[]> =>
  deps.Delivery.find({ endpointId, ...deadIn(anyTime) }, listedFields)
    .sort({ deadAt: -1 })
    .limit(maxListed)
    .lean<ListedDelivery[]>()

/** The newest RETRYING and DEAD deliveries of a business, of both environments, each with its last attempt. */
export const latestInTrouble = (deps: Reads, businessId: string): Promise<ListedDelivery[]> =>
  deps.Delivery.find(
    { businessId, sandbox: { $in: [true, false] }, status: { $in: ['RETRYING', 'DEAD'] } },
    listedFields,
  )
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxListed)
    .lean<ListedDelivery[]>()

export const lookUpEndpoint = (deps: Reads, id: string): Promise<TracedEndpoint | null> =>
  deps.Endpoint.findOne({ _id: id }, receiverFields).lean<TracedEndpoint | null>()

export const lookUpEndpoints = (deps: Reads, ids: readonly string[]): Promise<TracedEndpoint[]> =>
  deps.Endpoint.find({ _id: { $in: ids } }, receiverFields).lean<TracedEndpoint[]>()

/** The endpoints of a business, newest first, including deleted ones. */
export const endpointsOf = (deps: Reads, businessId: string): Promise<TracedEndpoint[]> =>
  deps.Endpoint.find({ businessId }, receiverFields)
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxListed)
    .lean<TracedEndpoint[]>()
