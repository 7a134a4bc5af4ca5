import { type DeliveryStatus, deliveryStatuses, type ListDeliveriesQuery } from '../../../schemas/deliveries.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Page, readPage, readSlice, readSortedPage, type Slice } from '../../input/pagination.ts'
import { readSpan } from '../../input/span.ts'
import type { Countable } from '../../lists/counts/countable.ts'
import { readCountedPage } from '../../lists/counts/read-page.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryRecord, recordFields } from './present.ts'
import { type DeliveryFilter, selectDeliveries } from './select.ts'

export interface DeliverySearch extends Slice, DeliveryFilter {}

/** Parses the query parameters for the list of deliveries (SPEC 4.8). */
export function parseDeliverySearch(query: ListDeliveriesQuery): DeliverySearch {
  const { status, event = null, endpointId = null, referenceNumber = null, responseStatus = null } = query
  const statuses = [...new Set(status?.split(',') as DeliveryStatus[] | undefined)]
  // A list of all statuses is the same as none, but MongoDB would need longer to merge five lists.
  const isEvery = statuses.length === 0 || statuses.length === deliveryStatuses.length
  const named = { statuses: isEvery ? null : statuses, event, endpointId, referenceNumber, responseStatus }
  return { ...named, ...readSpan(query), ...readSlice(query) }
}

/**
 * Lists the deliveries of the caller's business in the caller's environment, newest first and without their bodies.
 * Deliveries that were created at the same time are ordered by id.
 */
export function listDeliveries(
  deps: Pick<Deps, 'Delivery' | 'listCounts' | 'now'>,
  caller: Caller,
  search: DeliverySearch,
): Promise<Page<DeliveryRecord>> {
  const { statuses, event, endpointId, referenceNumber, responseStatus } = search
  // Count checkpoints only work for lists that never shrink. The clean-up removes test deliveries of any age together
  // with their intents, so lists of test deliveries have no checkpoints.
  const isWhole = [statuses, event, endpointId, referenceNumber, responseStatus].every((each) => each === null)
  if (isWhole && !caller.sandbox)
    return readCountedPage<DeliveryRecord>(deps, allLive(deps, caller), search, search, recordFields)
  const listing = { ...selectDeliveries(caller, search), fields: recordFields }
  return referenceNumber === null
    ? readPage<DeliveryRecord, Delivery>(deps.Delivery, listing, search)
    : readSortedPage<Delivery>(deps.Delivery, listing, search)
}

function allLive({ Delivery }: Pick<Deps, 'Delivery'>, { businessId }: Caller): Countable {
  return {
    key: `live deliveries ${businessId}`,
    collection: Delivery.collection,
    index: 'byTimeAndEvent',
    where: { businessId, sandbox: false },
    keptFrom: null,
  }
}
