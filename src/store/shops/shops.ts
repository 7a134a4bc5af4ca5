import type { mongo } from 'mongoose'
import { type AuditedDeps, runAudited } from '../../audit/audited.ts'
import type { KeyMode } from '../../businesses/api-key.ts'
import type { Caller } from '../../businesses/caller.ts'
import { nullIfDuplicate, rawCollection } from '../../mongo/collection.ts'
import { type IdPage, type IdPageRequest, mapIdPage, readPageById } from '../../mongo/id-page.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { modeOf } from '../../platform/mode.ts'
import { omitUndefined } from '../../platform/without-undefined.ts'
import type { Author } from '../../security/actor.ts'
import type { Shop } from './shop.ts'

/** A live shop must exist. The sandbox's shop is created when needed. */
export async function requireShop(
  { Shop }: Pick<Deps, 'Shop'>,
  { businessId, sandbox }: Caller,
  session?: mongo.ClientSession,
): Promise<void> {
  if (!sandbox && (await Shop.exists({ businessId, sandbox }).session(session ?? null)) === null)
    throw refuse('SHOP_NOT_FOUND')
}

export async function ensureShop(
  { Shop, now }: Pick<Deps, 'Shop' | 'now'>,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
  session: mongo.ClientSession,
  change: { $inc?: { imports: number } } = {},
): Promise<void> {
  const opened = { _id: newId(), name: 'Sandbox', createdAt: now() }
  const { matchedCount, upsertedCount } = await rawCollection(Shop).updateOne(
    { businessId, sandbox },
    { ...change, $setOnInsert: opened },
    { upsert: sandbox, session },
  )
  if (matchedCount + upsertedCount === 0) throw refuse('SHOP_NOT_FOUND')
}

/** Returns null if the business already has a live shop. */
export const createBusinessShop = (
  deps: Pick<Deps, 'Shop'> & AuditedDeps,
  { businessId, name }: Pick<Shop, 'businessId' | 'name'>,
  by: Author,
): Promise<Shop | null> =>
  runAudited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const shop: Shop = { _id: newId(), businessId, sandbox: false, name, createdAt }
    await rawCollection(deps.Shop).insertOne(shop, { session })
    await add({ act: 'shop.created', subject: shop._id, businessId, after: { mode: 'live', name } })
    return shop
  }).catch(nullIfDuplicate)

interface ShopFilter {
  businessId?: string
  mode?: KeyMode
}

export interface ShopFacts extends Pick<Shop, 'businessId' | 'name' | 'createdAt'> {
  id: string
  mode: KeyMode
}

export async function listShops(
  deps: Pick<Deps, 'Shop'>,
  { businessId, mode }: ShopFilter,
  slice: IdPageRequest,
): Promise<IdPage<ShopFacts>> {
  const where = omitUndefined({ businessId, sandbox: mode && mode === 'test' })
  return mapIdPage(await readPageById(deps.Shop, where, slice), shopFacts)
}

export async function lookUpShop(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  id: string,
): Promise<(ShopFacts & { products: number }) | null> {
  const shop = await deps.Shop.findOne({ _id: id }).lean<Shop | null>()
  if (shop === null) return null
  const { businessId, sandbox } = shop
  const products = await deps.Product.countDocuments({ businessId, sandbox, listed: true })
  return { ...shopFacts(shop), products }
}

const shopFacts = ({ _id: id, businessId, sandbox, name, createdAt }: Shop): ShopFacts => ({
  id,
  businessId,
  mode: modeOf({ sandbox }),
  name,
  createdAt,
})
