import type { mongo } from 'mongoose'
import type { By } from '../../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { nativeCollection, nullIfDuplicate } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import type { Shop } from './shop.ts'

/** The name of every sandbox's shop. Only the merchant's developers can see this name. */
const sandboxName = 'Sandbox'

/**
 * Checks that the caller has a shop. Throws SHOP_NOT_FOUND if the caller uses a live key and the business has no live
 * shop. With a test key, never throws, because the sandbox's shop is created when it is first needed.
 */
export async function requireShop(
  { Shop }: Pick<Deps, 'Shop'>,
  { businessId, sandbox }: Caller,
  session?: mongo.ClientSession,
): Promise<void> {
  if (!sandbox && (await Shop.exists({ businessId, sandbox }).session(session ?? null)) === null)
    throw refuse('SHOP_NOT_FOUND')
}

/**
 * Like `requireShop`, but for operations that create something. If the caller uses a test key and the sandbox has no
 * shop yet, creates the sandbox's shop (SPEC 8).
 */
export async function openShop(
  { Shop, now }: Pick<Deps, 'Shop' | 'now'>,
  { businessId, sandbox }: Caller,
  session: mongo.ClientSession,
  change: { $inc?: { imports: number } } = {},
): Promise<void> {
  const opened = { _id: newId(), name: sandboxName, createdAt: now() }
  const { matchedCount, upsertedCount } = await nativeCollection(Shop).updateOne(
    { businessId, sandbox },
    { ...change, $setOnInsert: opened },
    { upsert: sandbox, session },
  )
  if (matchedCount + upsertedCount === 0) throw refuse('SHOP_NOT_FOUND')
}

/** Creates a business's live shop. Returns null if the business already has one. */
export const createShop = (
  deps: Pick<Deps, 'Shop'> & AuditedDeps,
  { businessId, name }: Pick<Shop, 'businessId' | 'name'>,
  by: By,
): Promise<Shop | null> =>
  audited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const shop: Shop = { _id: newId(), businessId, sandbox: false, name, createdAt }
    await nativeCollection(deps.Shop).insertOne(shop, { session })
    await add({ act: 'shop.created', subject: shop._id, businessId, after: { mode: 'live', name } })
    return shop
  }).catch(nullIfDuplicate)
