import type { Deps } from '../../deps.ts'
import { anyTime } from '../../span.ts'
import { bodyOf } from '../body/compose.ts'
import { findBodySource } from '../body/find-source.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { deadIn } from './dead-in.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'
import { createResponseFilter } from './filter-responses.ts'

/** A delivery for support staff: without the facts of its payload, which is the merchant's and their customer's, and without the responses. */
export type ListedDelivery = Omit<Delivery, 'facts' | 'effects' | 'unaudited' | 'attemptLog'> & {
  attemptLog: Omit<AttemptRecord, 'answer'>[]
}
/** `isHidden`: the response repeats data of the event that support staff may not see. Then `answer` is null. */
export type TracedAttempt = AttemptRecord & { isHidden: boolean }
/** The same with the responses. */
export type TracedDelivery = Omit<ListedDelivery, 'attemptLog'> & { attemptLog: TracedAttempt[] }

/** An endpoint for support staff: nothing that signs. */
export type TracedEndpoint = Pick<
  Endpoint,
  '_id' | 'businessId' | 'url' | 'events' | 'active' | 'deletedAt' | 'health' | 'createdAt'
>

const tracedFields = { facts: 0, effects: 0, unaudited: 0, 'attemptLog.answer': 0 }
/** For long lists: how it went last is enough. */
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

/** Of one payment: of 5 endpoints a hundred events each, whatever a customer tries, and more refunds than anybody makes. A page that still opens. */
export const mostOfOne = 500
/** What fits a page that is read on the phone. */
const mostListed = 20

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
  // Nobody can tell what a response repeats of a source that is gone.
  const filter = source === null ? () => null : createResponseFilter(bodyOf(delivery, source))
  return { ...traced, attemptLog: traced.attemptLog.map((attempt) => filtered(attempt, filter)) }
}

function filtered(attempt: AttemptRecord, filter: ReturnType<typeof createResponseFilter>): TracedAttempt {
  if (typeof attempt.answer !== 'string') return { ...attempt, isHidden: false }
  const answer = filter(attempt.answer)
  return { ...attempt, answer, isHidden: answer === null }
}

/** The deliveries of a payment or an order, oldest first, at most `mostOfOne`, without what the receivers answered. */
export const deliveriesOf = (deps: Reads, referenceNumber: string): Promise<ListedDelivery[]> =>
  deps.Delivery.find({ referenceNumber }, tracedFields)
    .sort({ createdAt: 1, _id: 1 })
    .limit(mostOfOne)
    .lean<ListedDelivery[]>()

/** The last to die of a receiver's, each with its last attempt. */
export const latestDeadOf = (deps: Reads, endpointId: string): Promise<ListedDelivery[]> =>
  deps.Delivery.find({ endpointId, ...deadIn(anyTime) }, listedFields)
    .sort({ deadAt: -1 })
    .limit(mostListed)
    .lean<ListedDelivery[]>()

/** The newest of a business's that failed and wait, or are DEAD, of both environments, each with its last attempt. */
export const latestInTrouble = (deps: Reads, businessId: string): Promise<ListedDelivery[]> =>
  deps.Delivery.find(
    { businessId, sandbox: { $in: [true, false] }, status: { $in: ['RETRYING', 'DEAD'] } },
    listedFields,
  )
    .sort({ createdAt: -1, _id: -1 })
    .limit(mostListed)
    .lean<ListedDelivery[]>()

export const lookUpEndpoint = (deps: Reads, id: string): Promise<TracedEndpoint | null> =>
  deps.Endpoint.findOne({ _id: id }, receiverFields).lean<TracedEndpoint | null>()

export const lookUpEndpoints = (deps: Reads, ids: readonly string[]): Promise<TracedEndpoint[]> =>
  deps.Endpoint.find({ _id: { $in: ids } }, receiverFields).lean<TracedEndpoint[]>()

/** A business's endpoints, newest first, deleted ones too. */
export const endpointsOf = (deps: Reads, businessId: string): Promise<TracedEndpoint[]> =>
  deps.Endpoint.find({ businessId }, receiverFields)
    .sort({ createdAt: -1, _id: -1 })
    .limit(mostListed)
    .lean<TracedEndpoint[]>()
