import { maxStock } from '../../../schemas/product-limits.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { type Effect, forgotten, isForgotten } from '../../idempotency/effect.ts'
import { isId } from '../../security/ids.ts'
import { findWithEffects, visibleTo } from '../products/find.ts'
import { pickVariant } from '../products/pick-variant.ts'
import type { Variant } from '../products/product.ts'
import { retryConflicts } from '../retry-conflict.ts'
import type { StockChange } from './parse-change.ts'
import { planStock, type VariantRef } from './plan.ts'
import { type StockedVariant, stockedVariant } from './stocked-variant.ts'

type StockDeps = Pick<Deps, 'Shop' | 'Product' | 'batchers' | 'now'>

/**
 * Changes the stock of a variant in one guarded write. `idOrLabel` is the `_id` of the variant, or its label. Throws
 * INSUFFICIENT_STOCK if the stock would fall below 0, and VALIDATION_ERROR if the stock would exceed `maxStock`. Also
 * throws the errors of `findProduct` and `pickVariant`. A retry finds the change that the first request made, and
 * returns the variant as it is now. If so many other changes have followed that the retry cannot tell whether the first
 * request made its change, the retry throws SERVICE_UNAVAILABLE.
 */
export async function changeStock(
  deps: StockDeps,
  caller: Caller,
  { productId, idOrLabel }: { productId: string; idOrLabel: string },
  change: StockChange,
  effect: Effect,
): Promise<StockedVariant> {
  const write = async (ref: VariantRef): Promise<StockedVariant | null> => {
    const isWritten = await deps.batchers.updateProduct(planStock(deps, caller, ref, change, effect), effect.deadlineAt)
    if (!isWritten) return null
    const product = await deps.batchers.findVariants(productId, effect.deadlineAt)
    return stockedVariant(productId, product?.variants ?? [], ref.variantId)
  }
  // A string that looks like an id is most likely an id, so the first attempt writes the change without reading the
  // product.
  const written = isId(idOrLabel) ? await write({ productId, variantId: idOrLabel }) : null
  if (written !== null) return written
  return retryConflicts(effect.deadlineAt, async () => {
    const read = await findWithEffects(deps, caller, productId)
    // An earlier attempt at this request has already made the change. The product may have been deleted since then.
    if (read?.effects.includes(effect.id)) return stockedVariant(productId, read.variants, idOrLabel)
    if (read !== null && isForgotten(read.effects, effect.id)) throw forgotten()
    const variant = pickVariant(await visibleTo(deps, caller, read), idOrLabel, null)
    refuseOutOfRange(productId, variant, change)
    return write({ productId, variantId: variant._id })
  })
}

function refuseOutOfRange(productId: string, { _id: variantId, stock: available }: Variant, change: StockChange): void {
  if ('stock' in change) return
  const requested = -change.delta
  if (requested > available)
    throw refuse('INSUFFICIENT_STOCK', { details: { productId, variantId, requested, available } })
  if (available + change.delta > maxStock)
    throw refuse('VALIDATION_ERROR', {
      param: 'delta',
      message: `delta must not bring the stock above ${maxStock}. The stock is now ${available}.`,
    })
}
