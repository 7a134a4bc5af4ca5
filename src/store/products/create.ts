import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type DoneBefore, doneBefore, type Effect } from '../../idempotency/effect.ts'
import type { Recall } from '../../idempotency/recall.ts'
import { withinSandboxDay } from '../../quotas/sandbox-day.ts'
import { retryConflicts } from '../retry-conflict.ts'
import { openShop } from '../shops/open-shop.ts'
import { refuseTakenSkus } from './given-skus.ts'
import { newProduct } from './new-product.ts'
import type { ProductRequest } from './parse-create.ts'
import { presentProduct } from './present.ts'
import { type Product, products } from './product.ts'

/**
 * Creates a product together with its sealed response in one insert, and returns the product. The first product that a
 * test key creates also creates the sandbox's shop. Throws SHOP_NOT_FOUND, VALIDATION_ERROR naming the SKU that another
 * product of the shop already has, and RATE_LIMITED if the sandbox's daily quota is used up.
 */
export async function createProduct(
  deps: Deps,
  caller: Caller,
  request: ProductRequest,
  effect: Effect,
): Promise<Record<string, unknown> | DoneBefore> {
  await openShop(deps, caller)
  const { businessId, sandbox } = caller
  const { givenSkus, ...described } = request
  const own = { _id: effect.id, handle: effect.id, businessId, sandbox }
  const product = newProduct({ ...described, ...own }, deps.now())
  const data = presentProduct(product)
  const sealedResponse = effect.seal(data)
  const insert = async () => {
    const insertion = await deps.batchers.insertProduct({ ...product, sealedResponse }, effect.deadlineAt)
    if (insertion.inserted) return data
    // An earlier attempt at the same request may have inserted the SKUs that are in use.
    if (insertion.index === '_id_' || (await exists(deps, product._id))) return doneBefore
    await refuseTakenSkus(deps, product, givenSkus)
    // The SKU that was in use is free again.
    return null
  }
  return withinSandboxDay(deps, caller, 1, () => retryConflicts(effect.deadlineAt, insert))
}

const exists = async (deps: Pick<Deps, 'Product'>, _id: string): Promise<boolean> =>
  (await deps.Product.exists({ _id })) !== null

/** Recalls the sealed first response to the create request with this effect id. */
export const recallProduct: Recall = {
  kind: 'stored',
  collection: products.name,
  async find({ Product }, effectId) {
    const product = await Product.findById(effectId, { sealedResponse: 1 }).lean<Pick<
      Product,
      'sealedResponse'
    > | null>()
    return product?.sealedResponse ?? null
  },
}
