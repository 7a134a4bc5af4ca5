import { attempt, cancelIntent, createIntent, deliveriesOf, relay, subscribe } from './actions.ts'
import type { EndpointServer } from './endpoint-server.ts'
import { storeOrder } from './orders.ts'
import { pay, refund } from './pay.ts'
import type { Merchant, Service } from './service.ts'
import { createProduct, openLiveShop } from './store.ts'

const events = ['payment.created', 'payment.confirmed', 'payment.cancelled', 'payment.refunded', 'order.new']

/** A merchant's two keys, and one of everything that a key can make, told to an endpoint: in each environment. */
export interface Pair {
  test: Merchant
  live: Merchant
}

export async function openPair(service: Service, endpointServer: EndpointServer): Promise<Pair> {
  const test = await service.merchant()
  const issued = await service.key(test.businessId, { mode: 'live' })
  const read = () => ({ Authorization: `Bearer ${issued.key}` })
  const write = (key = crypto.randomUUID()) => ({ ...read(), 'X-Idempotency-Key': key })
  const live = { ...test, keyId: issued.id, key: issued.key, read, write }
  await subscribe(service, test, endpointServer.url, events)
  await openLiveShop(service, live)
  return { test, live }
}

/** One of everything, come to its end and told. Answers the references of two payments and an order. */
export async function createSampleData(
  service: Service,
  merchant: Merchant,
  sandbox: boolean,
): Promise<string[]> {
  const [first, second] = [await createIntent(service, merchant), await createIntent(service, merchant)]
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

/** How many documents that test keys made are left of a business, by collection. */
export async function countTestData({ deps }: Service, { businessId }: Merchant) {
  const mine = { businessId, sandbox: true }
  return {
    intents: await deps.Intent.countDocuments(mine),
    deliveries: await deps.Delivery.countDocuments(mine),
    orders: await deps.Order.countDocuments({ ...mine, status: 'PLACED' }),
    products: await deps.Product.countDocuments(mine),
  }
}

/** Lets what a business's keys made until now be so much older, and the clean-up look at all there is. */
export async function ageData({ deps }: Service, { businessId }: Merchant, ms: number): Promise<void> {
  const older = [{ $set: { createdAt: { $subtract: ['$createdAt', ms] } } }]
  const options = { updatePipeline: true, timestamps: false }
  await deps.Intent.updateMany({ businessId }, older, options)
  await deps.Delivery.updateMany({ businessId }, older, options)
  await deps.Order.updateMany({ businessId }, older, options)
  await deps.Product.updateMany({ businessId }, older, options)
  await deps.RetentionProgress.updateMany({}, { $unset: { walked: 1 } })
}

/** Remembers what test keys made of a business, as it is now, and answers how to have it again. */
export async function saveTestData(
  { deps }: Service,
  { businessId }: Merchant,
): Promise<() => Promise<void>> {
  const owned = { businessId, sandbox: true }
  const kept = await Promise.all(
    [deps.Intent, deps.Delivery, deps.Order, deps.Product].map((model) =>
      keep(model.collection as never, owned),
    ),
  )
  const movements = await keep(deps.WalletMovement.collection, {})
  return async () => {
    for (const putBack of [...kept, movements]) await putBack()
  }
}

async function keep(
  collection: {
    find(which: object): { toArray(): Promise<object[]> }
    insertMany(docs: object[], options: object): Promise<unknown>
  },
  which: object,
): Promise<() => Promise<void>> {
  const docs = await collection.find(which).toArray()
  return async () => {
    // What is there still is a duplicate.
    if (docs.length > 0) await collection.insertMany(docs, { ordered: false }).catch(() => undefined)
  }
}
