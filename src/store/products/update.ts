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
 * Changes only the fields that the request contains. To change variants, reads the product, computes the new variants
 * and writes them. The write is guarded by the revision that was read, so no concurrent change (for example, to the
 * stock) is lost. While the product is part of an open import, a change to its variants waits. Throws the errors of
 * `findProduct` and `changedProduct`. Also throws VALIDATION_ERROR if a SKU already belongs to another product of the
 * shop.
 */
export async function updateProduct(
  deps: UpdateDeps,
  caller: Caller,
  id: string,
  change: ProductChange,
  effect: Effect,
): Promise<ShownProduct> {
  if (change.variants === null && Object.keys(change.fields).length === 0) return findProduct(deps, caller, id)
  return retryConflicts(effect.deadlineAt, async () => {
    const read = await findWithEffects(deps, caller, id)
    // An earlier attempt at this request has already made the change. The product may have been deleted since then.
    if (read?.effects.includes(effect.id)) return read
    if (read !== null && isForgotten(read.effects, effect.id)) throw forgotten()
    const product = await visibleTo(deps, caller, read)
    // An open import relies on the variants with which it has compared the file, so this change must wait until the
    // import ends.
    if (change.variants !== null && product.prepared !== null) return null
    return write(deps, caller, product, change, effect)
  })
}

/**
 * Writes the change. Returns null if the product has changed since it was read, or if the write found a SKU in use that
 * has since become free.
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
