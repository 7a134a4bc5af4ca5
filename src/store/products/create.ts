import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type DoneBefore, doneBefore, type Effect } from '../../idempotency/effect.ts'
import type { Recall } from '../../idempotency/recall.ts'
import { withinSandboxDay } from '../../quotas/sandbox-day.ts'
import { newId } from '../../security/ids.ts'
import { retryConflicts } from '../retry-conflict.ts'
import { openShop } from '../shops/open-shop.ts'
import { refuseTakenSkus } from './given-skus.ts'
import { newProduct, newVariant } from './new-product.ts'
import type { ProductRequest } from './parse-create.ts'
import { presentProduct } from './present.ts'
import { defaultLabel, type Product, products } from './product.ts'

/**
 * Creates a product and returns the response's `data`. One insert stores both the product and the sealed response. If
 * the caller uses a test key and the sandbox has no shop yet, creates the sandbox's shop first. Throws SHOP_NOT_FOUND
 * if the caller uses a live key and the business has no shop. Throws VALIDATION_ERROR if a SKU already belongs to
 * another product of the shop, and RATE_LIMITED if the sandbox's daily quota is used up.
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
    // The SKUs may be in use because an earlier attempt at the same request has inserted the product.
    if (insertion.index === '_id_' || (await exists(deps, product._id))) return doneBefore
    await refuseTakenSkus(deps, product, givenSkus)
    // The insert found a SKU in use, but that SKU has become free in the meantime. Null makes `retryConflicts` insert
    // the product again.
    return null
  }
  return withinSandboxDay(deps, caller, 1, () => retryConflicts(effect.deadlineAt, insert))
}

/** Adds a product to an empty sandbox. Its handle is unique, so concurrent callers add only one. */
export async function addSampleProduct(deps: Deps, caller: Caller, deadlineAt: number): Promise<void> {
  await openShop(deps, caller)
  const { businessId, sandbox } = caller
  const price = Math.min(10_000, deps.config.maxAmount)
  const sample = newProduct(
    {
      _id: newId(),
      handle: 'sample-product',
      businessId,
      sandbox,
      name: 'Sample product',
      description: '',
      images: [],
      active: true,
      variants: [newVariant({ label: defaultLabel, price, stock: 100_000 })],
    },
    deps.now(),
  )
  await withinSandboxDay(deps, caller, 1, () => deps.batchers.insertProduct(sample, deadlineAt))
}

const exists = async (deps: Pick<Deps, 'Product'>, _id: string): Promise<boolean> =>
  (await deps.Product.exists({ _id })) !== null

/** Finds the sealed first response to the create request that has this effect id. */
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
