import { createIntent, repeatCreate } from './operations/create.ts'
import { listDeliveries, readDelivery, retryDelivery } from './operations/deliveries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  rotateSecret,
  testEndpoint,
  updateEndpoint,
} from './operations/endpoints.ts'
import {
  cancelIntent,
  listIntents,
  raceFor,
  readIntent,
  refundIntent,
  simulatePayment,
} from './operations/intents.ts'
import { placeOrder, readOrders } from './operations/orders.ts'
import { overstep } from './operations/overstep.ts'
import { payByCode, payByLink } from './operations/pay.ts'
import {
  changeStock,
  createProduct,
  deleteProduct,
  importProducts,
  listProducts,
  updateProduct,
} from './operations/store.ts'
import { intrude } from './operations/stranger.ts'
import { overreach, requeue, requeueAll } from './operations/support.ts'
import type { Scene } from './scene.ts'

type Operation = (scene: Scene) => Promise<unknown>

/** What is done how often, of all. Some do more than one call. */
export const operations = {
  createIntent: [260, createIntent],
  repeatCreate: [15, repeatCreate],
  readIntent: [60, readIntent],
  listIntents: [30, listIntents],
  cancelIntent: [40, cancelIntent],
  simulatePayment: [90, simulatePayment],
  raceFor: [30, raceFor],
  payByLink: [60, payByLink],
  payByCode: [30, payByCode],
  refundIntent: [100, refundIntent],
  listDeliveries: [20, listDeliveries],
  readDelivery: [10, readDelivery],
  retryDelivery: [10, retryDelivery],
  createEndpoint: [8, createEndpoint],
  updateEndpoint: [8, updateEndpoint],
  deleteEndpoint: [4, deleteEndpoint],
  rotateSecret: [3, rotateSecret],
  testEndpoint: [4, testEndpoint],
  listEndpoints: [4, listEndpoints],
  createProduct: [8, createProduct],
  updateProduct: [10, updateProduct],
  deleteProduct: [3, deleteProduct],
  listProducts: [10, listProducts],
  importProducts: [5, importProducts],
  changeStock: [60, changeStock],
  placeOrder: [60, placeOrder],
  readOrders: [10, readOrders],
  intrude: [20, intrude],
  requeue: [8, requeue],
  requeueAll: [3, requeueAll],
  overreach: [4, overreach],
  overstep: [8, overstep],
} as const satisfies { [name: string]: readonly [weight: number, operate: Operation] }

/** What a live key is refused, which is tried now and then. */
export const ofTheSandbox: readonly OperationName[] = ['simulatePayment', 'placeOrder']

export type OperationName = keyof typeof operations

/** What is done how often, where some things are done ten times as often as they would be. */
export const weightsWith = (often: readonly OperationName[]) =>
  Object.fromEntries(
    Object.entries(operations).map(([name, [weight]]) => [
      name,
      often.includes(name as OperationName) ? 10 * weight : weight,
    ]),
  ) as { [name in OperationName]: number }
