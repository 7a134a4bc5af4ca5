import type { Model, mongo } from 'mongoose'
import type { Intent } from '../intents/intent.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Order } from '../store/orders/order.ts'
import type { Product } from '../store/products/product.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { unusedAmong } from '../webhooks/endpoints/remove-deleted.ts'
import type { Cleaning } from './cleaning.ts'
import type { Kind } from './counts.ts'
import { batchLimits } from './each-page.ts'

/** What keys make. Each says itself whether a test key made it. */
type Made = Intent | Order | Product | Delivery
type Filter = Record<string, unknown>

const { maxTimeMS } = batchLimits

/** Deletes of what test keys made; a live document is never among it, whatever the filter says. */
export async function removeTests<Doc extends Made>(
  cleaning: Cleaning,
  kind: Kind,
  model: Model<Doc>,
  which: Filter,
): Promise<void> {
  const collection = nativeCollection(model as unknown as Model<Made>)
  await removeFrom(cleaning, kind, collection, { ...which, sandbox: true })
}

/** What the payments of test intents moved, and their refunds. The ledger is that of the sandbox's wallets, and no live payment is ever in it. */
export async function removeMovements(
  cleaning: Cleaning,
  intents: { sandbox: boolean; payment: { key: string } | null }[],
): Promise<void> {
  const keys = intents.filter(({ sandbox }) => sandbox).flatMap(({ payment }) => payment?.key ?? [])
  const which = { $or: [{ _id: { $in: keys } }, { paymentKey: { $in: keys } }] }
  await removeFrom(cleaning, 'movements', nativeCollection(cleaning.WalletMovement), which)
}

/** Removes deleted endpoints of the business that have no delivery left. Endpoints belong to no environment. */
export async function removeEndpoints(cleaning: Cleaning, ids: string[]): Promise<void> {
  const { Endpoint, responsesBefore: before } = cleaning
  const deleted = { deletedAt: { $type: 'date', $lt: before } }
  const unused = await unusedAmong(Endpoint, [{ $match: { _id: { $in: ids }, ...deleted } }])
  await removeFrom(cleaning, 'endpoints', nativeCollection(Endpoint), { _id: { $in: unused }, ...deleted })
}

async function removeFrom<Doc extends mongo.Document>(
  { isDry, count }: Cleaning,
  kind: Kind,
  collection: mongo.Collection<Doc>,
  which: Filter,
): Promise<void> {
  const filter = which as mongo.Filter<Doc>
  if (isDry) return count(kind, await collection.countDocuments(filter, { maxTimeMS }))
  count(kind, (await collection.deleteMany(filter, { maxTimeMS })).deletedCount)
}
