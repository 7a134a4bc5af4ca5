import type { Model, mongo } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import type { Intent } from '../intents/intent.ts'
import type { Order } from '../store/orders/order.ts'
import type { Product } from '../store/products/product.ts'
import type { WalletMovement } from '../wallets/sandbox/movement.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { batchLimits } from './batch.ts'
import type { Cleaning, Kind } from './cleaning.ts'

/** What keys make. Each says itself whether a test key made it. */
type Made = Intent | Order | Product | Delivery
type Filter = Record<string, unknown>

const { maxTimeMS } = batchLimits

/** Deletes of what test keys made; a live document is never among it, whatever the filter says. The one way in which the service deletes such. */
export async function removeTests<Doc extends Made>(
  cleaning: Cleaning,
  kind: Kind,
  model: Model<Doc>,
  which: Filter,
): Promise<void> {
  const collection = pastMongoose(model as unknown as Model<Made>)
  await removeFrom(cleaning, kind, collection, { ...which, sandbox: true })
}

/** The same of the ledger of the sandbox's wallets, which knows no live money (wallets/sandbox). */
export async function removeMovements(
  cleaning: Cleaning,
  which: mongo.Filter<WalletMovement>,
): Promise<void> {
  await removeFrom(cleaning, 'movements', pastMongoose(cleaning.WalletMovement), which)
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
