import { listOrdersQuery } from '../../../schemas/list-orders.ts'
import { id, saying } from '../../../schemas/responses/fields.ts'
import { order, orderPage } from '../../../schemas/responses/order.ts'
import { simulateOrderBody } from '../../../schemas/simulate-order.ts'
import type { About } from './openapi-text.ts'
import * as example from './orders-example.ts'
import { pageWith } from './page-example.ts'

export const aboutOrders = {
  simulate: {
    operationId: 'simulateOrder',
    tag: 'Orders',
    summary: 'Place a test order',
    description:
      'Orders as a customer of the shop would. Without `items`, orders one unit of a variant that is in stock.',
    params: {},
    query: null,
    body: simulateOrderBody,
    answer: order,
    errors: [
      'PRODUCT_NOT_FOUND',
      'SANDBOX_MISMATCH',
      'VARIANT_NOT_FOUND',
      'VARIANT_LABEL_AMBIGUOUS',
      'AMOUNT_OUT_OF_RANGE',
      'INSUFFICIENT_STOCK',
    ],
    example: { body: example.asked, answer: example.order },
  },
  list: {
    operationId: 'listOrders',
    tag: 'Orders',
    summary: 'List orders',
    description: "Newest first, of the key's environment.",
    params: {},
    query: listOrdersQuery,
    body: null,
    answer: orderPage,
    errors: ['SHOP_NOT_FOUND'],
    example: { answer: pageWith(example.order, 20) },
  },
  get: {
    operationId: 'getOrder',
    tag: 'Orders',
    summary: 'Read an order',
    description: 'An order is a copy of what was sold. Later changes to a product do not affect it.',
    params: { id: saying('`_id` of the order.', id) },
    query: null,
    body: null,
    answer: order,
    errors: ['SHOP_NOT_FOUND', 'ORDER_NOT_FOUND', 'SANDBOX_MISMATCH'],
    example: { params: { id: example.orderId }, answer: example.order },
  },
} as const satisfies Record<string, About>
