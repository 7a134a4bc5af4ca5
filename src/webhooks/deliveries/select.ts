import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Selection } from '../../input/pagination.ts'
import { type Span, within } from '../../input/span.ts'

/** The filters by which a merchant selects deliveries. A filter that is null does not restrict the selection. */
export interface DeliveryFilter extends Span {
  /** Contains at least one status. */
  statuses: readonly DeliveryStatus[] | null
  event: string | null
  endpointId: string | null
  referenceNumber: string | null
  /** An HTTP status from 300 to 599, or a class of them such as `5xx`. */
  responseStatus: string | null
}

/**
 * Returns the selection of a caller's deliveries. Its index contains every field of the filter, except that the few
 * deliveries of one `referenceNumber` are read as documents.
 */
export function selectDeliveries(owner: Caller, filter: DeliveryFilter): Selection & { counted: Selection } {
  const { statuses, event, endpointId, referenceNumber, responseStatus } = filter
  const index = indexFor(filter)
  const where = {
    businessId: owner.businessId,
    sandbox: owner.sandbox,
    ...within('createdAt', filter),
    ...(statuses === null ? {} : { status: statuses.length === 1 ? statuses[0] : { $in: statuses } }),
    ...(event === null ? {} : { event }),
    ...(endpointId === null ? {} : { endpointId }),
    ...(referenceNumber === null ? {} : { referenceNumber }),
  }
  if (responseStatus === null) return { where, index, counted: { where, index } }
  const codes = codesOf(responseStatus)
  const [first = 0] = codes
  const range = { $gte: first, $lte: codes.at(-1) ?? first }
  // MongoDB reads a class in the order of the list only if the filter names every status in it. For a count, one range
  // of the index is faster.
  return {
    where: { ...where, failureStatus: codes.length === 1 ? first : { $in: codes } },
    index,
    counted: { where: { ...where, failureStatus: range }, index },
  }
}

/** Returns the name of the index for a filter. */
function indexFor({ statuses, endpointId, referenceNumber, responseStatus }: DeliveryFilter): string {
  if (referenceNumber !== null) return 'byReference'
  if (responseStatus !== null) return 'byFailureStatus'
  if (statuses !== null) return 'byStatus'
  return endpointId === null ? 'byTimeAndEvent' : 'byEndpointAndTime'
}

/** Returns all HTTP statuses that a `responseStatus` filter selects, in ascending order. */
const codesOf = (responseStatus: string): number[] =>
  responseStatus.endsWith('xx')
    ? Array.from({ length: 100 }, (_, code) => Number(responseStatus[0]) * 100 + code)
    : [Number(responseStatus)]
