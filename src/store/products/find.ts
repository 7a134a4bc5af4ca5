import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { requireShop } from '../shops/open-shop.ts'
import type { Product } from './product.ts'

/** The filter of the caller's own product that is there. */
export const ownProduct = ({ businessId, sandbox }: Caller, id: string) => ({
  _id: id,
  businessId,
  sandbox,
  listed: true,
})

/**
 * The caller's own product. SHOP_NOT_FOUND; PRODUCT_NOT_FOUND for one that is unknown, deleted or another business's; SANDBOX_MISMATCH for
 * one of the caller's other environment.
 */
export async function findProduct(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  caller: Caller,
  id: string,
): Promise<Product> {
  const { businessId, sandbox } = caller
  const product = await deps.Product.findOne({
    _id: id,
    businessId,
    listed: true,
  }).lean<Product | null>()
  if (product?.sandbox === sandbox) return product
  await requireShop(deps, caller)
  throw refuse(product === null ? 'PRODUCT_NOT_FOUND' : 'SANDBOX_MISMATCH')
}
