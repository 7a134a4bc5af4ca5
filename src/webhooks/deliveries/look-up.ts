import { anyTime } from '../../input/span.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpointFields, shownUrl, withoutPath } from '../endpoints/endpoint-facts.ts'
import { bodyOf, findBodySource } from '../message.ts'
import { deadIn } from './backlog.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'
import { createResponseFilter } from './filter-responses.ts'
import { recordFields } from './present.ts'

/**
 * A delivery with the fields that support staff see. The endpoint's responses and the event's facts (body/facts.ts) are
 * left out, because they belong to the merchant and the customer.
 */
export type ListedDelivery = Omit<Delivery, 'facts' | 'attemptLog'> & {
  attemptLog: Omit<AttemptRecord, 'responseText'>[]
}
/**
 * An attempt with its response. If the response repeats data that support staff may not see, `isHidden` is true and
 * `responseText` is null.
 */
export type TracedAttempt = AttemptRecord & { isHidden: boolean }
/** A `ListedDelivery` that also contains the responses that support staff may see. */
export type TracedDelivery = Omit<ListedDelivery, 'attemptLog'> & { attemptLog: TracedAttempt[] }

/** An endpoint with the fields that support staff see, which do not include its secrets. */
export type TracedEndpoint = Pick<Endpoint, '_id' | keyof typeof endpointFields>

const tracedFields = { facts: 0, 'attemptLog.responseText': 0 }

/**
 * The maximum number of deliveries on the staff page for a payment. This is enough for 100 events that are each sent to
 * 5 endpoints. A normal payment has fewer events.
 */
export const maxPerPayment = 500
/** The maximum number of items in a list on a staff page. It is small, so that the pages are readable on a phone. */
const maxListed = 20

type Reads = Pick<Deps, 'Delivery' | 'Endpoint' | 'secrets'>

/** Returns a function that replaces the URLs of deliveries or endpoints, because staff must not see them whole. */
const shownUrls =
  (deps: Reads) =>
  <Found extends { url: string; attemptLog?: { url: string }[] }>(found: Found): Found => {
    const attempts = found.attemptLog?.map((attempt) => ({ ...attempt, url: shownUrl(deps, attempt.url) }))
    return { ...found, url: shownUrl(deps, found.url), ...(attempts && { attemptLog: attempts }) }
  }

export const lookUpDelivery = (deps: Reads, id: string): Promise<ListedDelivery | null> =>
  deps.Delivery.findOne({ _id: id }, tracedFields)
    .lean<ListedDelivery | null>()
    .transform((found) => found && shownUrls(deps)(found))

/**
 * Returns a delivery, including the responses that support staff may see. Returns null if there is no delivery with
 * this id.
 */
export async function lookUpResponses(
  deps: Reads & Pick<Deps, 'Intent' | 'Order'>,
  id: string,
): Promise<TracedDelivery | null> {
  const delivery = await deps.Delivery.findOne({ _id: id }).lean<Delivery | null>()
  if (delivery === null) return null
  const { facts: _facts, ...traced } = delivery
  const source = await findBodySource(deps, delivery.referenceNumber)
  // If the intent or order no longer exists, it is unknown which data must be hidden, so all responses are hidden.
  const filter = source === null ? () => null : createResponseFilter(bodyOf(delivery, source))
  return shownUrls(deps)({
    ...traced,
    attemptLog: traced.attemptLog.map((attempt) => filtered(attempt, filter)),
  })
}

function filtered(attempt: AttemptRecord, filter: ReturnType<typeof createResponseFilter>): TracedAttempt {
  if (typeof attempt.responseText !== 'string') return { ...attempt, isHidden: false }
  const responseText = filter(attempt.responseText)
  const isHidden = responseText === null
  return { ...attempt, responseText: isHidden ? null : withoutPath(responseText, attempt.url), isHidden }
}

/** Reads deliveries without the responses to their attempts. */
const listDeliveriesFor = (
  deps: Reads,
  filter: Record<string, unknown>,
  fields: object,
  sort: Record<string, 1 | -1>,
  limit: number,
): Promise<ListedDelivery[]> =>
  deps.Delivery.find(filter, fields)
    .sort(sort)
    .limit(limit)
    .lean<ListedDelivery[]>()
    .transform((found) => found.map(shownUrls(deps)))

/** Returns at most `maxPerPayment` deliveries of a payment or an order, oldest first. */
export const deliveriesOf = (deps: Reads, referenceNumber: string): Promise<ListedDelivery[]> =>
  listDeliveriesFor(deps, { referenceNumber }, tracedFields, { createdAt: 1, _id: 1 }, maxPerPayment)

/**
 * Returns at most `maxListed` of an endpoint's DEAD deliveries, starting with the one that died most recently. Each of
 * them contains only its last attempt.
 */
export const latestDeadOf = (deps: Reads, endpointId: string): Promise<ListedDelivery[]> =>
  listDeliveriesFor(deps, { endpointId, ...deadIn(anyTime) }, recordFields, { deadAt: -1 }, maxListed)

/**
 * Returns a business's newest RETRYING and DEAD deliveries from both environments. Each of them contains only its last
 * attempt.
 */
export function latestInTrouble(deps: Reads, businessId: string): Promise<ListedDelivery[]> {
  const inTrouble = { businessId, sandbox: { $in: [true, false] }, status: { $in: ['RETRYING', 'DEAD'] } }
  return listDeliveriesFor(deps, inTrouble, recordFields, { createdAt: -1, _id: -1 }, maxListed)
}

export const lookUpEndpoints = (deps: Reads, ids: readonly string[]): Promise<TracedEndpoint[]> =>
  deps.Endpoint.find({ _id: { $in: ids } }, endpointFields)
    .lean<TracedEndpoint[]>()
    .transform((found) => found.map(shownUrls(deps)))

export const lookUpEndpoint = async (deps: Reads, id: string): Promise<TracedEndpoint | null> =>
  (await lookUpEndpoints(deps, [id]))[0] ?? null

/** Returns the endpoints of these deliveries, by id. */
export async function endpointsOfDeliveries(
  deps: Reads,
  deliveries: readonly ListedDelivery[],
): Promise<Map<string, TracedEndpoint>> {
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))]
  const endpoints = ids.length === 0 ? [] : await lookUpEndpoints(deps, ids)
  return new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]))
}

/** Returns at most `maxListed` of a business's endpoints, newest first and including deleted endpoints. */
export const endpointsOf = (deps: Reads, businessId: string): Promise<TracedEndpoint[]> =>
  deps.Endpoint.find({ businessId }, endpointFields)
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxListed)
    .lean<TracedEndpoint[]>()
    .transform((found) => found.map(shownUrls(deps)))
