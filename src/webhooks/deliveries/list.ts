import type { DeliveryStatus, ListDeliveriesQuery } from '../../../schemas/list-deliveries.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Page, readPage, readSlice, type Slice } from '../../input/pagination.ts'
import { readSpan, type Span, within } from '../../input/span.ts'
import type { Countable } from '../../lists/counts/countable.ts'
import { readCountedPage } from '../../lists/counts/read-page.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryRecord, recordFields } from './present.ts'

export interface DeliverySearch extends Slice, Span {
  status: DeliveryStatus | null
  event: string | null
  endpointId: string | null
}

/** Parses the query parameters for the list of deliveries (SPEC 4.8). */
export function parseDeliverySearch(query: ListDeliveriesQuery): DeliverySearch {
  const { status = null, event = null, endpointId = null } = query
  return { status, event, endpointId, ...readSpan(query), ...readSlice(query) }
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
  const { status, event, endpointId } = search
  // Count checkpoints only work for lists that never shrink. The clean-up removes test deliveries of any age together
  // with their intents, so lists of test deliveries have no checkpoints.
  const hasCheckpoints = !caller.sandbox && status === null && event === null && endpointId === null
  if (hasCheckpoints)
    return readCountedPage<DeliveryRecord>(deps, allLive(deps, caller), search, search, recordFields)
  const where = {
    businessId: caller.businessId,
    sandbox: caller.sandbox,
    ...within('createdAt', search),
    ...(status === null ? {} : { status }),
    ...(event === null ? {} : { event }),
    ...(endpointId === null ? {} : { endpointId }),
  }
  const index = indexFor(search)
  return readPage<DeliveryRecord, Delivery>(deps.Delivery, { where, index, fields: recordFields }, search)
}

/** Returns the name of the index that contains all fields by which the list is filtered. */
function indexFor({ status, endpointId }: DeliverySearch): string {
  if (status !== null) return 'byStatus'
  return endpointId === null ? 'byTimeAndEvent' : 'byEndpointAndTime'
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
