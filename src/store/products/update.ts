import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '../../businesses/caller.ts'
import { isDuplicate } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { unavailable } from '../../errors.ts'
import { type Effect, recorded } from '../../idempotency/effect.ts'
import { changedProduct, type ProductChange } from './changed-product.ts'
import { findProduct, ownProduct, readProduct, visibleTo } from './find.ts'
import { refuseTakenSkus } from './given-skus.ts'
import type { Product } from './product.ts'

/** Each loses to a change of somebody else between read and write; so many in a row only a storm of them makes. */
const tries = 16
/** Who lost waits for up to so long, a little more each time, so that those who meet do not meet again: less than 3 s in all. */
const longestPauseMs = 20

type UpdateDeps = Pick<Deps, 'Product' | 'Shop' | 'now'>

/**
 * Changes what is given and nothing else: reads, computes (changedProduct, whose refusals these are), and writes guarded by the
 * revision that was read, so that no stock changed meanwhile is lost. SHOP_NOT_FOUND, PRODUCT_NOT_FOUND, SANDBOX_MISMATCH;
 * VALIDATION_ERROR naming the SKU that another product of the shop has.
 */
export async function updateProduct(
  deps: UpdateDeps,
  caller: Caller,
  id: string,
  change: ProductChange,
  effect: Effect,
): Promise<Product> {
  if (change.variants === null && Object.keys(change.fields).length === 0)
    return findProduct(deps, caller, id)
  for (let count = 0; count < tries; count += 1) {
    const read = await readProduct(deps, caller, id)
    // Also when it was deleted since.
    if (read?.effects.includes(effect.id)) return read
    const product = await visibleTo(deps, caller, read)
    const changed = await write(deps, caller, product, change, effect)
    if (changed !== null) return changed
    await pause(Math.random() * longestPauseMs * (count + 1))
  }
  throw unavailable()
}

/** Null where the product is another by now, or a SKU was in use that is free again. */
async function write(
  deps: UpdateDeps,
  caller: Caller,
  product: Product,
  change: ProductChange,
  effect: Effect,
): Promise<Product | null> {
  const set = changedProduct(product, change)
  try {
    return await deps.Product.findOneAndUpdate(
      {
        ...ownProduct(caller, product._id),
        ...(set.variants === undefined ? {} : { revision: product.revision }),
        effects: { $ne: effect.id },
      },
      {
        $set: { ...set, updatedAt: deps.now() },
        $inc: { revision: 1 },
        $push: recorded(effect.id),
      },
      { returnDocument: 'after' },
    ).lean<Product | null>()
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await refuseTakenSkus(deps, product, change.givenSkus)
    return null
  }
}
