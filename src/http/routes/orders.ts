import type { ListOrdersQuery } from '../../../schemas/orders.ts'
import { presentPage } from '../../input/pagination.ts'
import { presentOrder } from '../../store/orders/order.ts'
import { parseSimulation, placeOrder } from '../../store/orders/place.ts'
import { findOrder, listOrders, parseOrderSearch } from '../../store/orders/read.ts'
import { limitCostly } from '../operations/limit-rate.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutOrders } from './orders-openapi.ts'

/** The operations on orders (SPEC 4.7). */
export const orderRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/store/orders/simulate',
    about: aboutOrders.simulate,
    scope: 'store.orders:write',
    sandboxOnly: true,
    status: 201,
    run: async (deps, caller, { body }, request) => {
      const input = parseSimulation(deps, body)
      // The request counts as one request per distinct product, because each product requires a read and a write.
      limitCostly(deps, caller, new Set(input.items?.map(({ productId }) => productId)).size)
      return placeOrder(deps, caller, input, request)
    },
  },
  {
    method: 'get',
    path: '/dev/store/orders',
    about: aboutOrders.list,
    shows: 'order',
    isPage: true,
    scope: 'store.orders:read',
    run: async (deps, caller, { query }: OperationInput<ListOrdersQuery>) =>
      presentPage(await listOrders(deps, caller, parseOrderSearch(query)), presentOrder),
  },
  {
    method: 'get',
    path: '/dev/store/orders/:id',
    about: aboutOrders.get,
    shows: 'order',
    scope: 'store.orders:read',
    run: async (deps, caller, { params }) => presentOrder(await findOrder(deps, caller, params.id ?? '')),
  },
]
