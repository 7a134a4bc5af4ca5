import { listOrdersQuery, simulateOrderBody } from '../../../schemas/orders.ts'
import { described, id } from '../../../schemas/responses/fields.ts'
import { order, orderPage } from '../../../schemas/responses/store.ts'
import { inSection, pageWith } from './openapi-text.ts'
import * as example from './orders-example.ts'

export const aboutOrders = inSection('Orders', {
  simulate: {
    operationId: 'simulateOrder',
    summary: 'Simulate an order',
    description:
      'Places an order in your test shop, as a customer would, and takes the items out of stock. Without `items`, the order is for one unit of a variant in stock, and a test shop without products first gets a sample product.',
    body: simulateOrderBody,
    response: order,
    errors: [
      'PRODUCT_NOT_FOUND',
      'SANDBOX_MISMATCH',
      'VARIANT_NOT_FOUND',
      'VARIANT_LABEL_AMBIGUOUS',
      'AMOUNT_OUT_OF_RANGE',
      'INSUFFICIENT_STOCK',
    ],
    example: { body: example.request, response: example.order },
  },
  list: {
    operationId: 'listOrders',
    summary: 'List orders',
    description: "Returns the orders of the key's environment, newest first.",
    query: listOrdersQuery,
    response: orderPage,
    errors: ['SHOP_NOT_FOUND'],
    example: { response: pageWith(example.order, 20) },
  },
  get: {
    operationId: 'getOrder',
    summary: 'Retrieve an order',
    description:
      'An order keeps a copy of the products as they were sold. Later changes to a product do not affect it.',
    params: { id: described('The `_id` of the order.', id) },
    response: order,
    errors: ['SHOP_NOT_FOUND', 'ORDER_NOT_FOUND', 'SANDBOX_MISMATCH'],
    example: { params: { id: example.orderId }, response: example.order },
  },
})
