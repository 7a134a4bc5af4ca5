import { highestStock } from '../../../schemas/change-stock.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse, unavailable } from '../../errors.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { isId } from '../../ids.ts'
import { readProduct, visibleTo } from '../products/find.ts'
import { pickVariant } from '../products/pick-variant.ts'
import type { Variant } from '../products/product.ts'
import type { StockChange } from './parse-change.ts'
import { type Place, planStock } from './plan.ts'

/** Each further one means that somebody moved the stock between a look and the write: so many in a row is no chance. */
const mostTries = 16

/** A variant as it is after its stock changed. */
export interface StockedVariant extends Variant {
  productId: string
}

/**
 * Changes the stock of the variant with this `_id`, else this label, in one guarded write that never leaves it below 0 or above
 * `highestStock`: INSUFFICIENT_STOCK, VALIDATION_ERROR. SHOP_NOT_FOUND, PRODUCT_NOT_FOUND, SANDBOX_MISMATCH; VARIANT_NOT_FOUND,
 * VARIANT_LABEL_AMBIGUOUS. A retry finds its own change and answers from it.
 */
export async function changeStock(
  deps: Pick<Deps, 'Shop' | 'Product' | 'lanes' | 'now'>,
  caller: Caller,
  { productId, idOrLabel }: { productId: string; idOrLabel: string },
  change: StockChange,
  effect: Effect,
): Promise<StockedVariant> {
  // What looks like an id most likely is one: then nothing need be read before the write.
  let place: Place | null = isId(idOrLabel) ? { productId, variantId: idOrLabel } : null
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (place !== null && (await write(deps, caller, place, change, effect)))
      return stockedVariant(deps, place, effect)
    const read = await readProduct(deps, caller, productId)
    // Also when it was deleted since.
    if (read?.effects.includes(effect.id)) return { productId, ...pickVariant(read, idOrLabel, null) }
    const variant = pickVariant(await visibleTo(deps, caller, read), idOrLabel, null)
    refuseBeyond(productId, variant, change)
    place = { productId, variantId: variant._id }
  }
  throw unavailable()
}

const write = (
  deps: Pick<Deps, 'lanes' | 'now'>,
  caller: Caller,
  place: Place,
  change: StockChange,
  effect: Effect,
): Promise<boolean> => deps.lanes.updateProduct(planStock(deps, caller, place, change, effect), effect.until)

/** The write is done; a variant that somebody took away since is not found. */
async function stockedVariant(
  deps: Pick<Deps, 'lanes'>,
  { productId, variantId }: Place,
  { until }: Effect,
): Promise<StockedVariant> {
  const product = await deps.lanes.findVariants(productId, until)
  const variant = product?.variants.find(({ _id }) => _id === variantId)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND')
  return { productId, ...variant }
}

function refuseBeyond(
  productId: string,
  { _id: variantId, stock: available }: Variant,
  change: StockChange,
): void {
  if ('stock' in change) return
  const requested = -change.delta
  if (requested > available)
    throw refuse('INSUFFICIENT_STOCK', { details: { productId, variantId, requested, available } })
  if (available + change.delta > highestStock)
    throw refuse('VALIDATION_ERROR', {
      param: 'delta',
      message: `delta must not bring the stock above ${highestStock}; it is ${available}.`,
    })
}
