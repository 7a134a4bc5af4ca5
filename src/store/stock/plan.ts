import { maxStock } from '../../../schemas/product-limits.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, recorded, unlessForgotten } from '../../idempotency/effect.ts'
import type { GuardedUpdate } from '../../mongo/batching/update-batcher.ts'
import { ownProduct } from '../products/find.ts'
import type { StockChange } from './parse-change.ts'

export interface VariantRef {
  productId: string
  variantId: string
}

/**
 * Returns the ONLY write that changes the stock when a merchant requests a stock change. This is one update with the
 * guard, the change and the effect. If an earlier attempt at the same request has already made the change, the write
 * counts as successful, but does not make the change again. The write fails if the product's stored effects no longer
 * show whether an earlier attempt has made the change.
 */
export function planStock(
  deps: Pick<Deps, 'now'>,
  caller: Caller,
  { productId, variantId }: VariantRef,
  change: StockChange,
  effect: Effect,
): GuardedUpdate {
  const isSet = 'stock' in change
  const stockGuard = isSet ? {} : stockGuardOf(change.delta)
  return {
    filter: {
      ...ownProduct(caller, productId),
      variants: { $elemMatch: { _id: variantId, ...stockGuard } },
      ...unlessForgotten(effect.id),
    },
    update: {
      $set: { updatedAt: deps.now(), ...(isSet ? { 'variants.$.stock': change.stock } : {}) },
      $inc: { revision: 1, ...(isSet ? {} : { 'variants.$.stock': change.delta }) },
      $push: recorded(effect.id),
    },
    proof: { effects: effect.id },
  }
}

/** Returns a filter for variants whose stock will be between 0 and `maxStock` after the change. */
const stockGuardOf = (delta: number) =>
  delta < 0 ? { stock: { $gte: -delta } } : { stock: { $lte: maxStock - delta } }
