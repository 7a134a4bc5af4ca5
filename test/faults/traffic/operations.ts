import type { Context } from './context.ts'
import { createIntent, repeatCreate } from './operations/create.ts'
import { listDeliveries, readDelivery, retryDelivery } from './operations/deliveries.ts'
import * as endpoints from './operations/endpoints.ts'
import * as intents from './operations/intents.ts'
import { placeOrder, readOrders } from './operations/orders.ts'
import { payByCode, payByLink } from './operations/pay.ts'
import { followReplay, startReplay } from './operations/replays.ts'
import * as store from './operations/store.ts'
import { intrude, overstep } from './operations/strangers.ts'
import { overreach, requeue, requeueAll } from './operations/support.ts'

type Operation = (context: Context) => Promise<unknown>

/** All operations with their relative frequency. Some make more than one call. */
export const operations = {
  createIntent: [260, createIntent],
  repeatCreate: [15, repeatCreate],
  readIntent: [60, intents.readIntent],
  listIntents: [30, intents.listIntents],
  cancelIntent: [40, intents.cancelIntent],
  simulatePayment: [90, intents.simulatePayment],
  raceFor: [30, intents.raceFor],
  payByLink: [60, payByLink],
  payByCode: [30, payByCode],
  refundIntent: [100, intents.refundIntent],
  listDeliveries: [20, listDeliveries],
  readDelivery: [10, readDelivery],
  retryDelivery: [10, retryDelivery],
  startReplay: [12, startReplay],
  followReplay: [8, followReplay],
  createEndpoint: [8, endpoints.createEndpoint],
  updateEndpoint: [8, endpoints.updateEndpoint],
  deleteEndpoint: [4, endpoints.deleteEndpoint],
  rotateSecret: [3, endpoints.rotateSecret],
  testEndpoint: [4, endpoints.testEndpoint],
  listEndpoints: [4, endpoints.listEndpoints],
  createProduct: [8, store.createProduct],
  updateProduct: [10, store.updateProduct],
  deleteProduct: [3, store.deleteProduct],
  listProducts: [10, store.listProducts],
  importProducts: [5, store.importProducts],
  changeStock: [60, store.changeStock],
  placeOrder: [60, placeOrder],
  readOrders: [10, readOrders],
  intrude: [20, intrude],
  requeue: [8, requeue],
  requeueAll: [3, requeueAll],
  overreach: [4, overreach],
  overstep: [8, overstep],
} as const satisfies { [name: string]: readonly [weight: number, operate: Operation] }

/** Live keys are refused these operations, so the traffic rarely sends them with a live key. */
export const ofTheSandbox: readonly OperationName[] = ['simulatePayment', 'placeOrder']
export type OperationName = keyof typeof operations

/** The weights, ten times as high for the operations in `often`. */
export const weightsWith = (often: readonly OperationName[]) =>
  Object.fromEntries(
    Object.entries(operations).map(([name, [weight]]) => [
      name,
      often.includes(name as OperationName) ? 10 * weight : weight,
    ]),
  ) as { [name in OperationName]: number }
