import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { type Effect, recorded } from '../../idempotency/effect.ts'
import { findProduct, findWithEffects, ownProduct } from './find.ts'

/**
 * Deletes a product in one guarded write. The write hides the product and frees the product's SKUs and handle. Returns
 * the data of the response. Throws the errors of `findProduct`.
 */
export async function deleteProduct(
  deps: Pick<Deps, 'Product' | 'Shop' | 'now'>,
  caller: Caller,
  id: string,
  effect: Effect,
): Promise<{ _id: string; deleted: true }> {
  const now = deps.now()
  const { matchedCount } = await deps.Product.updateOne(
    { ...ownProduct(caller, id), effects: { $ne: effect.id } },
    {
      $set: { listed: false, deletedAt: now, updatedAt: now, skus: [], prepared: null },
      $unset: { handle: 1 },
      $inc: { revision: 1 },
      $push: recorded(effect.id),
    },
  )
  if (matchedCount === 0 && !(await findWithEffects(deps, caller, id))?.effects.includes(effect.id)) {
    await findProduct(deps, caller, id)
    throw refuse('PRODUCT_NOT_FOUND')
  }
  return { _id: id, deleted: true }
}
