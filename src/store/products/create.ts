import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type DoneBefore, doneBefore, type Effect } from '../../idempotency/effect.ts'
import { tryAgain } from '../../try-again.ts'
import { openShop } from '../shops/open-shop.ts'
import { refuseTakenSkus } from './given-skus.ts'
import type { ProductRequest } from './parse-create.ts'
import { presentProduct } from './present.ts'
import type { Product } from './product.ts'
import { skusOf } from './skus.ts'

/**
 * Creates a product with its sealed answer in one insert; the first of a test key makes the sandbox's shop. Answers the product.
 * SHOP_NOT_FOUND; VALIDATION_ERROR naming the SKU that another product of the shop has.
 */
export async function createProduct(
  deps: Deps,
  caller: Caller,
  asked: ProductRequest,
  effect: Effect,
): Promise<Record<string, unknown> | DoneBefore> {
  await openShop(deps, caller)
  const product = draft(deps, caller, asked, effect.id)
  const data = presentProduct(product)
  const answer = effect.seal(data)
  return tryAgain(effect.until, async () => {
    const insertion = await deps.lanes.insertProduct({ ...product, answer }, effect.until)
    if (insertion.inserted) return data
    // Its own SKUs may be what an earlier try of it is refused by.
    if (insertion.index === '_id_' || (await isThere(deps, product._id))) return doneBefore
    await refuseTakenSkus(deps, product, asked.givenSkus)
    // A SKU that was in use is free when we look who has it.
    return null
  })
}

const isThere = async (deps: Pick<Deps, 'Product'>, _id: string): Promise<boolean> =>
  (await deps.Product.exists({ _id })) !== null

function draft(
  deps: Pick<Deps, 'now'>,
  { businessId, sandbox }: Caller,
  { name, description, images, active, variants }: ProductRequest,
  _id: string,
): Product {
  const now = deps.now()
  return {
    _id,
    businessId,
    sandbox,
    handle: _id,
    name,
    description,
    images,
    active,
    variants,
    skus: skusOf(variants),
    listed: true,
    prepared: null,
    reservations: [],
    revision: 0,
    deletedAt: null,
    createdAt: now,
    updatedAt: now,
    effects: [],
  }
}

/** The sealed first answer of the create whose effect id this is, or null when it made nothing. */
export async function recallProduct(deps: Pick<Deps, 'Product'>, effectId: string): Promise<string | null> {
  const product = await deps.Product.findById(effectId, { answer: 1 }).lean<Pick<Product, 'answer'> | null>()
  return product?.answer ?? null
}
