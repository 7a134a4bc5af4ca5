import * as inputs from '../../../schemas/orders.ts'
import { described } from '../../../schemas/requests.ts'
import { idSchema } from '../../../schemas/responses/fields.ts'
import * as schema from '../../../schemas/responses/store.ts'
import { presentPage } from '../../lists/pagination.ts'
import { presentOrder } from '../../store/orders/order.ts'
import { parseSimulateOrder, placeOrder } from '../../store/orders/place.ts'
import { findOrder, listOrders, parseOrderSearch } from '../../store/orders/read.ts'
import { limitCostlyCall } from '../operations/limit-rate.ts'
import { declareOperations } from '../operations/route.ts'

const { get, list, post } = declareOperations('Orders', {
  read: 'store.orders:read',
  write: 'store.orders:write',
  params: { id: described('The `_id` of the order.', idSchema) },
})

export const orderRoutes = [
  post('/dev/store/orders/simulate', {
    operationId: 'simulateOrder',
    summary: 'Simulate an order',
    description:
      'Places an order in your test shop, as a customer would, and takes its items from stock. Without `items`, orders one unit of a variant in stock, and first adds a sample product to an empty shop.',
    body: inputs.simulateOrderBody,
    response: schema.orderSchema,
    errors: [
      'PRODUCT_NOT_FOUND',
      'SANDBOX_MISMATCH',
      'VARIANT_NOT_FOUND',
      'VARIANT_LABEL_AMBIGUOUS',
      'AMOUNT_OUT_OF_RANGE',
      'INSUFFICIENT_STOCK',
    ],
    sandboxOnly: true,
    status: 201,
    run: async (deps, caller, { body }, request) => {
      const input = parseSimulateOrder(deps, body)
      limitCostlyCall(deps, caller, new Set(input.items?.map(({ productId }) => productId)).size)
      return placeOrder(deps, caller, input, request)
    },
  }),
  list('/dev/store/orders', {
    operationId: 'listOrders',
    summary: 'List orders',
    description: "Returns the orders of the key's environment, newest first.",
    query: inputs.listOrdersQuery,
    response: schema.orderPageSchema,
    errors: ['SHOP_NOT_FOUND'],
    shows: 'order',
    run: async (deps, caller, { query }) =>
      presentPage(await listOrders(deps, caller, parseOrderSearch(query)), presentOrder),
  }),
  get('/dev/store/orders/:id', {
    operationId: 'getOrder',
    summary: 'Retrieve an order',
    description: 'An order keeps a copy of its products, so later changes to them do not affect it.',
    response: schema.orderSchema,
    errors: ['SHOP_NOT_FOUND', 'ORDER_NOT_FOUND', 'SANDBOX_MISMATCH'],
    shows: 'order',
    run: async (deps, caller, { params }) => presentOrder(await findOrder(deps, caller, params.id)),
  }),
]
