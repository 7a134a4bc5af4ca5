import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, forgotten, isForgotten, recorded, unlessForgotten } from '../../idempotency/effect.ts'
import { isDuplicate } from '../../mongo/collection.ts'
import { retryConflicts } from '../retry-conflict.ts'
import { changedProduct, type ProductChange } from './changed-product.ts'
import { findProduct, findWithEffects, ownProduct, type ReadProduct, visibleTo } from './find.ts'
import { refuseTakenSkus } from './given-skus.ts'
import { type ShownProduct, shownFields } from './present.ts'

type UpdateDeps = Pick<Deps, 'Product' | 'Shop' | 'now'>

/**
 * Changes only the given fields. For a change to variants, reads the product, computes the new variants, and writes
 * them with the revision that was read as a guard, so that no concurrent change to the stock is lost. Such a change
 * waits while an import is preparing the product. Throws the errors of `changedProduct`, SHOP_NOT_FOUND,
 * PRODUCT_NOT_FOUND, SANDBOX_MISMATCH, and VALIDATION_ERROR for a SKU that already belongs to another product of the
 * shop.
 */
export async function updateProduct(
  deps: UpdateDeps,
  caller: Caller,
  id: string,
  change: ProductChange,
  effect: Effect,
): Promise<ShownProduct> {
  if (change.variants === null && Object.keys(change.fields).length === 0)
    return findProduct(deps, caller, id)
  return retryConflicts(effect.deadlineAt, async () => {
    const read = await findWithEffects(deps, caller, id)
    // The change has been made, even if the product was deleted in the meantime.
    if (read?.effects.includes(effect.id)) return read
    if (read !== null && isForgotten(read.effects, effect.id)) throw forgotten()
    const product = await visibleTo(deps, caller, read)
    // The import relies on the variants that it has compared, so this change must wait.
    if (change.variants !== null && product.prepared !== null) return null
    return write(deps, caller, product, change, effect)
  })
}

/**
 * Writes the change. Returns null if the product has changed since it was read, or if a SKU that was in use has become
 * free.
 */
async function write(
  deps: UpdateDeps,
  caller: Caller,
  product: ReadProduct,
  change: ProductChange,
  effect: Effect,
): Promise<ShownProduct | null> {
  const set = changedProduct(product, change)
  try {
    return await deps.Product.findOneAndUpdate(
      {
        ...ownProduct(caller, product._id),
        ...(set.variants === undefined ? {} : { revision: product.revision, prepared: null }),
        ...unlessForgotten(effect.id),
      },
      {
        $set: { ...set, updatedAt: deps.now() },
        $inc: { revision: 1 },
        $push: recorded(effect.id),
      },
      { returnDocument: 'after', projection: shownFields },
    ).lean<ShownProduct | null>()
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await refuseTakenSkus(deps, product, change.givenSkus)
    return null
  }
}
