import { anyTime } from '../../input/span.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpointFields, shownUrl, withoutPath } from '../endpoints/endpoint-facts.ts'
import { bodyOf, findBodySource } from '../message.ts'
import { deadIn } from './backlog.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'
import { createResponseFilter } from './filter-responses.ts'
import { recordFields } from './present.ts'

/** Without responses and event facts, because they belong to the merchant and the customer. */
export type ListedDelivery = Omit<Delivery, 'facts' | 'attemptLog'> & {
  attemptLog: Omit<AttemptRecord, 'responseText'>[]
}
/** If the response repeats data that staff may not see, `isHidden` is true and `responseText` null. */
export type TracedAttempt = AttemptRecord & { isHidden: boolean }
export type TracedDelivery = Omit<ListedDelivery, 'attemptLog'> & { attemptLog: TracedAttempt[] }

export type TracedEndpoint = Pick<Endpoint, '_id' | keyof typeof endpointFields>

const tracedFields = { facts: 0, 'attemptLog.responseText': 0 }

/** Enough for 100 events to 5 endpoints each. */
export const maxPerPayment = 500
/** Small, so that the pages are readable on a phone. */
const maxListed = 20

type Reads = Pick<Deps, 'Delivery' | 'Endpoint' | 'secrets'>

/** Staff must not see whole URLs. */
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

/** Includes the responses that staff may see. */
export async function lookUpResponses(
  deps: Reads & Pick<Deps, 'Intent' | 'Order'>,
  id: string,
): Promise<TracedDelivery | null> {
  const delivery = await deps.Delivery.findOne({ _id: id }).lean<Delivery | null>()
  if (delivery === null) return null
  const { facts: _facts, ...traced } = delivery
  const source = await findBodySource(deps, delivery.referenceNumber)
  // Without the intent or order, we don't know what must be hidden.
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

/** Oldest first. */
export const deliveriesOf = (deps: Reads, referenceNumber: string): Promise<ListedDelivery[]> =>
  listDeliveriesFor(deps, { referenceNumber }, tracedFields, { createdAt: 1, _id: 1 }, maxPerPayment)

/** The one that died last comes first. Each has only its last attempt. */
export const latestDeadOf = (deps: Reads, endpointId: string): Promise<ListedDelivery[]> =>
  listDeliveriesFor(deps, { endpointId, ...deadIn(anyTime) }, recordFields, { deadAt: -1 }, maxListed)

/** Newest first, in both environments. Each has only its last attempt. */
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

export async function endpointsOfDeliveries(
  deps: Reads,
  deliveries: readonly ListedDelivery[],
): Promise<Map<string, TracedEndpoint>> {
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))]
  const endpoints = ids.length === 0 ? [] : await lookUpEndpoints(deps, ids)
  return new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]))
}

/** Newest first, with deleted ones. */
export const endpointsOf = (deps: Reads, businessId: string): Promise<TracedEndpoint[]> =>
  deps.Endpoint.find({ businessId }, endpointFields)
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxListed)
    .lean<TracedEndpoint[]>()
    .transform((found) => found.map(shownUrls(deps)))
