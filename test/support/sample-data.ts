import type { mongo } from 'mongoose'
import { newId } from '../../src/platform/ids.ts'
import { attempt, cancelIntent, createIntent, deliveriesOf, relay, subscribe } from './actions.ts'
import type { EndpointServer } from './endpoint-server.ts'
import { storeOrder } from './orders.ts'
import { pay, refund } from './pay.ts'
import type { Merchant, Service } from './service.ts'
import { createProduct, openLiveShop } from './store.ts'

const events = ['payment.created', 'payment.confirmed', 'payment.cancelled', 'payment.refunded', 'order.new']
export type Pair = { test: Merchant; live: Merchant }

export async function openPair(service: Service, endpointServer: EndpointServer): Promise<Pair> {
  const test = await service.merchant()
  const issued = await service.key(test.businessId, { mode: 'live' })
  const read = () => ({ Authorization: `Bearer ${issued.key}` })
  const write = (key = crypto.randomUUID()) => ({ ...read(), 'X-Idempotency-Key': key })
  const live = { ...test, keyId: issued.id, key: issued.key, read, write }
  await subscribe(service, live, endpointServer.url, events)
  await openLiveShop(service, live)
  return { test, live }
}

/** One of everything, in a final state and delivered. Returns the references of two intents and an order. */
export async function createSampleData(service: Service, merchant: Merchant, sandbox: boolean) {
  const first = await createIntent(service, merchant, { amount: 50_000, merchantReference: newId() })
  const second = await createIntent(service, merchant)
  if (sandbox) {
    await pay(service, first.referenceNumber)
    await refund(service, merchant, first.referenceNumber, 20_000)
  } else await cancelIntent(service, merchant, first.referenceNumber)
  await cancelIntent(service, merchant, second.referenceNumber)
  const [, deleted] = [await createProduct(service, merchant), await createProduct(service, merchant)]
  await service.http.delete(`/api/v1/dev/store/products/${deleted._id}`).set(merchant.write())
  const order = await storeOrder(service, merchant, sandbox)
  await relay(service, merchant)
  for (const { _id, nextAttemptAt } of await deliveriesOf(service, merchant))
    if (nextAttemptAt !== null) await attempt(service.deps, _id)
  return [first.referenceNumber, second.referenceNumber, order.number]
}

export async function countTestData({ deps }: Service, { businessId }: Merchant) {
  const filter = { businessId, sandbox: true }
  const { Intent, Delivery, Order, Product } = deps
  const [intents, deliveries] = [await Intent.countDocuments(filter), await Delivery.countDocuments(filter)]
  const [orders, products] = [await Order.countDocuments(filter), await Product.countDocuments(filter)]
  return { intents, deliveries, orders, products }
}

export async function ageData({ deps }: Service, { businessId }: Merchant, ms: number): Promise<void> {
  const older = [{ $set: { createdAt: { $subtract: ['$createdAt', ms] } } }]
  const options = { updatePipeline: true, timestamps: false }
  const at = { $subtract: ['$$this.at', ms] }
  const marks = { $map: { input: '$marks', in: { $mergeObjects: ['$$this', { at }] } } }
  const paidAt = { $subtract: ['$payment.paidAt', ms] }
  await deps.Intent.updateMany({ businessId }, [{ $set: { marks } }, ...older], options)
  await deps.Intent.updateMany(
    { businessId, payment: { $ne: null } },
    [{ $set: { 'payment.paidAt': paidAt } }],
    options,
  )
  await deps.Delivery.updateMany({ businessId }, older, options)
  await deps.Order.updateMany({ businessId }, older, options)
  await deps.Product.updateMany({ businessId }, older, options)
  await deps.RetentionProgress.updateMany({}, { $unset: { walked: 1 } })
}

export async function saveTestData({ deps }: Service, { businessId }: Merchant) {
  const owned = { businessId, sandbox: true }
  const { Intent, Delivery, Order, Product, WalletMovement } = deps
  const collections = [Intent, Delivery, Order, Product, WalletMovement].map(
    (model) => model.collection as unknown as mongo.Collection,
  )
  const saved = await Promise.all(
    collections.map(async (collection) => {
      const filter = collection === (WalletMovement.collection as unknown as mongo.Collection) ? {} : owned
      return { collection, docs: await collection.find(filter).toArray() }
    }),
  )
  return async () => {
    // Documents that still exist are duplicates.
    for (const { collection, docs } of saved)
      if (docs.length > 0) await collection.insertMany(docs, { ordered: false }).catch(() => undefined)
  }
}
