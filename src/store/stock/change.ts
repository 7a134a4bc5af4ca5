import { type ChangeStockBody, changeStockBody } from '../../../schemas/change-stock.ts'
import { maxStock } from '../../../schemas/product-limits.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { pickVariant, presentVariant, type Variant } from '../products/product.ts'
import { findProduct } from '../products/read.ts'

/**
 * Parses the body of a stock change. Throws VALIDATION_ERROR if a field is invalid, or if the body contains both
 * `stock` and `delta` or neither of them.
 */
export const parseStockChange = (deps: Pick<Deps, 'validate'>, body: unknown): ChangeStockBody =>
  deps.validate(changeStockBody, body) as ChangeStockBody

/**
 * Changes the stock of a variant. `idOrLabel` is the `_id` of the variant, or its label. Throws INSUFFICIENT_STOCK if
 * the stock would fall below 0, and VALIDATION_ERROR if the stock would exceed `maxStock`. Also throws the errors of
 * `findProduct` and `pickVariant`.
 */
export const changeStock = (
  deps: Deps,
  caller: Caller,
  { productId, idOrLabel }: { productId: string; idOrLabel: string },
  change: ChangeStockBody,
  request: WriteRequest,
): Promise<Result> =>
  once(deps, request, { documents: [productId] }, async ({ session }) => {
    const variant = pickVariant(await findProduct(deps, caller, productId, session), idOrLabel, null)
    const stock = 'stock' in change ? change.stock : sumOf(productId, variant, change.delta)
    await nativeCollection(deps.Product).updateOne(
      { _id: productId, 'variants._id': variant._id },
      { $set: { 'variants.$.stock': stock, updatedAt: deps.now() } },
      { session },
    )
    return { productId, ...presentVariant({ ...variant, stock }) }
  })

function sumOf(productId: string, { _id: variantId, stock: available }: Variant, delta: number): number {
  const requested = -delta
  if (requested > available)
    throw refuse('INSUFFICIENT_STOCK', { details: { productId, variantId, requested, available } })
  if (available + delta > maxStock)
    throw refuse('VALIDATION_ERROR', {
      param: 'delta',
      message: `delta must not bring the stock above ${maxStock}. The stock is now ${available}.`,
    })
  return available + delta
}
