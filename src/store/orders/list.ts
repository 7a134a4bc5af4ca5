import { type ListOrdersQuery, listOrdersQuery } from '../../../schemas/list-orders.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Page, readPage, readSlice, type Slice } from '../../pagination.ts'
import { readSpan, type Span, within } from '../../span.ts'
import { requireShop } from '../shops/open-shop.ts'
import { type Order, placed, type ShownOrder, shownFields } from './order.ts'

export interface OrderSearch extends Slice, Span {}

/** Judges the query of a list. A bare `to` date means the end of that UTC day. */
export function parseOrderSearch(deps: Pick<Deps, 'validate'>, query: unknown): OrderSearch {
  const asked = deps.validate<ListOrdersQuery>(listOrdersQuery, query)
  return { ...readSpan(asked), ...readSlice(asked) }
}

/** The caller's orders, newest first; ties by id. SHOP_NOT_FOUND. */
export async function listOrders(
  deps: Pick<Deps, 'Shop' | 'Order'>,
  caller: Caller,
  search: OrderSearch,
): Promise<Page<ShownOrder>> {
  await requireShop(deps, caller)
  const { businessId, sandbox } = caller
  const filter = { businessId, sandbox, ...placed, ...within('createdAt', search) }
  return readPage<ShownOrder, Order>(deps.Order, filter, { createdAt: -1, _id: -1 }, search, {
    fields: shownFields,
  })
}
