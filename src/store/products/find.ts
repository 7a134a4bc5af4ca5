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

/** The product of the caller's business, of either environment, deleted or not. */
export const readProduct = (
  deps: Pick<Deps, 'Product'>,
  { businessId }: Caller,
  id: string,
): Promise<Product | null> => deps.Product.findOne({ _id: id, businessId }).lean<Product | null>()

/**
 * The caller's own product. SHOP_NOT_FOUND; PRODUCT_NOT_FOUND for one that is unknown, deleted or another business's; SANDBOX_MISMATCH for
 * one of the caller's other environment.
 */
export async function findProduct(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  caller: Caller,
  id: string,
): Promise<Product> {
  return visibleTo(deps, caller, await readProduct(deps, caller, id))
}

/** What was read, if it is there for the caller; else throws as findProduct does. */
export async function visibleTo(
  deps: Pick<Deps, 'Shop'>,
  caller: Caller,
  read: Product | null,
): Promise<Product> {
  if (read?.listed && read.sandbox === caller.sandbox) return read
  await requireShop(deps, caller)
  throw refuse(read?.listed ? 'SANDBOX_MISMATCH' : 'PRODUCT_NOT_FOUND')
}
