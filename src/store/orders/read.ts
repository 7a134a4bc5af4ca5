import type { ListOrdersQuery } from '../../../schemas/orders.ts'
import { type Caller, requireOwned } from '../../businesses/caller.ts'
import { readSpan, type TimeSpan } from '../../input/span.ts'
import { toCountableList } from '../../lists/counts.ts'
import { type Page, type PageRequest, parsePageRequest } from '../../lists/pagination.ts'
import { readCountedPage } from '../../lists/read-page.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireShop } from '../shops/shops.ts'
import { type Order, orderProjection, type ShownOrder } from './order.ts'

interface OrderSearch extends PageRequest, TimeSpan {}

export const parseOrderSearch = (query: ListOrdersQuery): OrderSearch => ({
  ...readSpan(query),
  ...parsePageRequest(query),
})

export async function listOrders(
  deps: Pick<Deps, 'Shop' | 'Order' | 'listCounts' | 'now' | 'config'>,
  caller: Caller,
  search: OrderSearch,
): Promise<Page<ShownOrder>> {
  await requireShop(deps, caller)
  const orders = toCountableList(deps, deps.Order.collection, caller)
  return readCountedPage<ShownOrder>(deps, orders, search, search, orderProjection)
}

export async function findOrder(
  deps: Pick<Deps, 'Shop' | 'Order'>,
  caller: Caller,
  id: string,
): Promise<ShownOrder> {
  const own = { _id: id, businessId: caller.businessId }
  const order = await deps.Order.findOne(own, orderProjection).lean<ShownOrder | null>()
  if (order?.sandbox !== caller.sandbox) await requireShop(deps, caller)
  return requireOwned(caller, order, 'ORDER_NOT_FOUND')
}

export type OrderForStaff = Omit<Order, 'customer'>

/** Staff never see the customer's data. */
export const lookUpOrder = (deps: Pick<Deps, 'Order'>, number: string): Promise<OrderForStaff | null> =>
  deps.Order.findOne({ number }, { customer: 0, 'outbox.facts': 0 }).lean<OrderForStaff | null>()
