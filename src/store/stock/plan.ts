import { maxStock } from '../../../schemas/product-limits.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, recorded, unlessForgotten } from '../../idempotency/effect.ts'
import type { GuardedUpdate } from '../../mongo/batching/update-batcher.ts'
import { ownProduct } from '../products/find.ts'
import type { StockChange } from './parse-change.ts'

/** Where a stock is. */
export interface Place {
  productId: string
  variantId: string
}

/**
 * THE write of a merchant's stock change: guard, change and effect as one update of one document. It counts as let through also where an
 * earlier try of the same request was, and is refused where nobody can tell any more whether one was.
 */
export function planStock(
  deps: Pick<Deps, 'now'>,
  caller: Caller,
  { productId, variantId }: Place,
  change: StockChange,
  effect: Effect,
): GuardedUpdate {
  const isSet = 'stock' in change
  const room = isSet ? {} : roomFor(change.delta)
  return {
    filter: {
      ...ownProduct(caller, productId),
      variants: { $elemMatch: { _id: variantId, ...room } },
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

/** The stocks that stay from 0 to the highest when they move by so much. */
const roomFor = (delta: number) =>
  delta < 0 ? { stock: { $gte: -delta } } : { stock: { $lte: maxStock - delta } }
