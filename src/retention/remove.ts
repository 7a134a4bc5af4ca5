import type { Model, mongo } from 'mongoose'
import type { LoggedEvent } from '../events/logged-event.ts'
import type { Intent } from '../intents/intent.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Order } from '../store/orders/order.ts'
import type { Product } from '../store/products/product.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { unusedAmong } from '../webhooks/endpoints/remove-deleted.ts'
import type { Cleaning } from './cleaning.ts'
import type { Kind } from './counts.ts'
import { batchLimits } from './each-page.ts'

/** Documents that belong to either the sandbox or the live environment. */
type Owned = Intent | Order | Product | Delivery | LedgerEntry | LoggedEvent
type Filter = Record<string, unknown>

const { maxTimeMS } = batchLimits

/** Deletes the test documents that match the filter. Live documents are never deleted, whatever the filter contains. */
export async function removeTests<Doc extends Owned>(
  cleaning: Cleaning,
  kind: Kind,
  model: Model<Doc>,
  filter: Filter,
): Promise<void> {
  const collection = nativeCollection(model as unknown as Model<Owned>)
  await removeFrom(cleaning, kind, collection, { ...filter, sandbox: true })
}

/**
 * Removes the rows of the sandbox ledger for the payments and refunds of test intents. The ledger contains no live
 * payments.
 */
export async function removeMovements(
  cleaning: Cleaning,
  intents: { sandbox: boolean; payment: { key: string } | null }[],
): Promise<void> {
  const keys = intents.filter(({ sandbox }) => sandbox).flatMap(({ payment }) => payment?.key ?? [])
  const filter = { $or: [{ _id: { $in: keys } }, { paymentKey: { $in: keys } }] }
  await removeFrom(cleaning, 'movements', nativeCollection(cleaning.WalletMovement), filter)
}

/** Removes deleted endpoints of both environments that have no deliveries left. */
export async function removeEndpoints(cleaning: Cleaning, ids: string[]): Promise<void> {
  const { Endpoint, deletedBefore: before } = cleaning
  const deleted = { deletedAt: { $type: 'date', $lt: before } }
  const unused = await unusedAmong(Endpoint, [{ $match: { _id: { $in: ids }, ...deleted } }])
  await removeFrom(cleaning, 'endpoints', nativeCollection(Endpoint), { _id: { $in: unused }, ...deleted })
}

async function removeFrom<Doc extends mongo.Document>(
  { isDry, count }: Cleaning,
  kind: Kind,
  collection: mongo.Collection<Doc>,
  filter: Filter,
): Promise<void> {
  const typed = filter as mongo.Filter<Doc>
  if (isDry) return count(kind, await collection.countDocuments(typed, { maxTimeMS }))
  count(kind, (await collection.deleteMany(typed, { maxTimeMS })).deletedCount)
}
