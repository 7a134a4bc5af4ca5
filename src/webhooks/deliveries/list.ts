import type { DeliveryStatus, ListDeliveriesQuery } from '../../../schemas/list-deliveries.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Page, readPage, readSlice, type Slice } from '../../pagination.ts'
import { readSpan, type Span, within } from '../../span.ts'
import type { Countable } from '../../tallies/countable.ts'
import { readTalliedPage } from '../../tallies/read-page.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryRecord, recordFields } from './present.ts'

export interface DeliverySearch extends Slice, Span {
  status: DeliveryStatus | null
  event: string | null
  endpointId: string | null
}

/** Reads the query of the list of deliveries (SPEC 4.8). */
export function parseDeliverySearch(query: ListDeliveriesQuery): DeliverySearch {
  const { status = null, event = null, endpointId = null } = query
  return { status, event, endpointId, ...readSpan(query), ...readSlice(query) }
}

/** The deliveries of the caller's business and environment, newest first, without bodies; ties by id. */
export function listDeliveries(
  deps: Pick<Deps, 'Delivery' | 'tallies' | 'now'>,
  caller: Caller,
  search: DeliverySearch,
): Promise<Page<DeliveryRecord>> {
  const { status, event, endpointId } = search
  // The clean-up takes deliveries of tests away when the intent they tell of goes, however young they are themselves.
  const isTallied = !caller.sandbox && status === null && event === null && endpointId === null
  if (isTallied)
    return readTalliedPage<DeliveryRecord>(deps, allLive(deps, caller), search, search, recordFields)
  const anyStatus = {
    businessId: caller.businessId,
    sandbox: caller.sandbox,
    ...within('createdAt', search),
    ...(event === null ? {} : { event }),
    ...(endpointId === null ? {} : { endpointId }),
  }
  const filter = { ...anyStatus, ...(status === null ? {} : inStatus[status]) }
  const newestFirst = { createdAt: -1, _id: -1 } as const
  return readPage<DeliveryRecord, Delivery>(deps.Delivery, filter, newestFirst, search, {
    fields: recordFields,
    ...(status === 'DELIVERED' ? { count: () => countDelivered(deps, anyStatus) } : {}),
  })
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

/** Each said so that MongoDB finds it by an index: what is PENDING is due some time, and few are. */
const inStatus = {
  PENDING: { status: 'PENDING', nextAttemptAt: { $type: 'date' } },
  RETRYING: { status: 'RETRYING' },
  DELIVERED: { status: 'DELIVERED' },
  DEAD: { status: 'DEAD' },
  CANCELLED: { status: 'CANCELLED' },
} as const satisfies Record<DeliveryStatus, object>

/** Most are DELIVERED, and no index knows them: so all but the others, which are few, instead of reading every one. */
async function countDelivered(
  deps: Pick<Deps, 'Delivery'>,
  anyStatus: Record<string, unknown>,
): Promise<number> {
  const [all, pending, inTrouble] = await Promise.all([
    deps.Delivery.countDocuments(anyStatus),
    deps.Delivery.countDocuments({ ...anyStatus, ...inStatus.PENDING }),
    deps.Delivery.countDocuments({ ...anyStatus, status: { $in: ['RETRYING', 'DEAD', 'CANCELLED'] } }),
  ])
  return Math.max(0, all - pending - inTrouble)
}
