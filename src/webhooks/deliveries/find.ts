import {
  type DeliveryStatus,
  deliveryStatuses,
  type ListDeliveriesQuery,
} from '../../../schemas/deliveries.ts'
import { type Caller, requireOwned } from '../../businesses/caller.ts'
import { readSpan, spanFilter, type TimeSpan } from '../../input/span.ts'
import type { CountableList } from '../../lists/counts.ts'
import {
  type Page,
  type PageRequest,
  parsePageRequest,
  readPage,
  readSortedPage,
} from '../../lists/pagination.ts'
import { readCountedPage } from '../../lists/read-page.ts'
import type { Deps } from '../../platform/deps.ts'
import { findBodySource } from '../message.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryRecord, deliveryRowFields } from './present.ts'

type Reads = Pick<Deps, 'Delivery'>

/** Throws DELIVERY_NOT_FOUND and SANDBOX_MISMATCH. */
export async function findFullDelivery(
  deps: Pick<Deps, 'Delivery' | 'Intent' | 'Order'>,
  caller: Caller,
  id: string,
) {
  const delivery = await find<Delivery>(deps, caller, id, {})
  return { delivery, source: await findBodySource(deps, delivery.referenceNumber) }
}

export const findDeliveryRecord = (deps: Reads, caller: Caller, id: string) =>
  find<DeliveryRecord>(deps, caller, id, deliveryRowFields)

async function find<Found extends DeliveryRecord>(
  { Delivery }: Reads,
  caller: Caller,
  id: string,
  fields: Partial<typeof deliveryRowFields>,
): Promise<Found> {
  const own = { _id: id, businessId: caller.businessId }
  return requireOwned(caller, await Delivery.findOne(own, fields).lean<Found | null>(), 'DELIVERY_NOT_FOUND')
}

interface DeliverySearch extends PageRequest, DeliveryFilter {}

export function parseDeliverySearch(query: ListDeliveriesQuery): DeliverySearch {
  const { status, event = null, endpointId = null, referenceNumber = null, responseStatus = null } = query
  const statuses = [...new Set(status?.split(',') as DeliveryStatus[] | undefined)]
  // With a filter on all statuses, MongoDB would merge five sorted lists.
  const isEvery = statuses.length === 0 || statuses.length === deliveryStatuses.length
  const named = { statuses: isEvery ? null : statuses, event, endpointId, referenceNumber, responseStatus }
  return { ...named, ...readSpan(query), ...parsePageRequest(query) }
}

export function listDeliveries(
  deps: Pick<Deps, 'Delivery' | 'listCounts' | 'now'>,
  caller: Caller,
  search: DeliverySearch,
): Promise<Page<DeliveryRecord>> {
  const { statuses, event, endpointId, referenceNumber, responseStatus } = search
  // Test deliveries expire, but checkpoints need a list that never shrinks.
  const isWhole = [statuses, event, endpointId, referenceNumber, responseStatus].every(
    (each) => each === null,
  )
  if (isWhole && !caller.sandbox) {
    const allLive: CountableList = {
      key: `live deliveries ${caller.businessId}`,
      collection: deps.Delivery.collection,
      index: 'byTimeAndEvent',
      where: { businessId: caller.businessId, sandbox: false },
      keptFrom: null,
    }
    return readCountedPage<DeliveryRecord>(deps, allLive, search, search, deliveryRowFields)
  }
  const listing = { ...buildDeliveryQuery(caller, search), fields: deliveryRowFields }
  return referenceNumber === null
    ? readPage<DeliveryRecord, Delivery>(deps.Delivery, listing, search)
    : readSortedPage<Delivery>(deps.Delivery, listing, search)
}

/** A field that is null matches any value. */
export interface DeliveryFilter extends TimeSpan {
  statuses: readonly DeliveryStatus[] | null
  event: string | null
  endpointId: string | null
  referenceNumber: string | null
  /** An HTTP status from 300 to 599, or a class such as `5xx`. */
  responseStatus: string | null
}

/** All indexes except `byReference` contain every filtered field. */
export function buildDeliveryQuery({ businessId, sandbox }: Caller, filter: DeliveryFilter) {
  const { statuses, event, endpointId, referenceNumber, responseStatus } = filter
  const index = indexFor(filter)
  const where = {
    businessId,
    sandbox,
    ...spanFilter('createdAt', filter),
    ...(statuses === null ? {} : { status: statuses.length === 1 ? statuses[0] : { $in: statuses } }),
    ...(event === null ? {} : { event }),
    ...(endpointId === null ? {} : { endpointId }),
    ...(referenceNumber === null ? {} : { referenceNumber }),
  }
  if (responseStatus === null) return { where, index, counted: { where, index } }
  const codes = codesOf(responseStatus)
  const [first = 0] = codes
  const withStatus = (failureStatus: unknown) => ({ where: { ...where, failureStatus }, index })
  // To list `5xx` in order, MongoDB needs every single status. For a count,
  // a range is faster.
  return {
    ...withStatus(codes.length === 1 ? first : { $in: codes }),
    counted: withStatus({ $gte: first, $lte: codes.at(-1) ?? first }),
  }
}

function indexFor({ statuses, endpointId, referenceNumber, responseStatus }: DeliveryFilter): string {
  if (referenceNumber !== null) return 'byReference'
  if (responseStatus !== null) return 'byFailureStatus'
  if (statuses !== null) return 'byStatus'
  return endpointId === null ? 'byTimeAndEvent' : 'byEndpointAndTime'
}

const codesOf = (responseStatus: string): number[] =>
  responseStatus.endsWith('xx')
    ? Array.from({ length: 100 }, (_, code) => Number(responseStatus[0]) * 100 + code)
    : [Number(responseStatus)]
