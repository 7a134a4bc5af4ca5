import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { requireShop } from '../shops/open-shop.ts'
import type { Product } from './product.ts'

/**
 * Returns a filter for one of the caller's products. The filter does not match a product that has been deleted, or a
 * product that an import is still creating.
 */
export const ownProduct = ({ businessId, sandbox }: Caller, id: string) => ({
  _id: id,
  businessId,
  sandbox,
  listed: true,
})

/** A product without two fields that may be large: the sealed response to its create request, and its effects. */
export type ReadProduct = Omit<Product, 'sealedResponse' | 'effects'>

export type ProductWithEffects = Omit<Product, 'sealedResponse'>

/**
 * Finds a product of the caller's business, in either environment. The product may have been deleted. The result
 * includes the product's effects.
 */
export const findWithEffects = (
  deps: Pick<Deps, 'Product'>,
  { businessId }: Caller,
  id: string,
): Promise<ProductWithEffects | null> =>
  deps.Product.findOne({ _id: id, businessId }, { sealedResponse: 0 }).lean<ProductWithEffects | null>()

/**
 * Returns one of the caller's products. Throws SHOP_NOT_FOUND if the caller has no shop. Throws PRODUCT_NOT_FOUND if
 * the product does not exist, has been deleted or belongs to another business. Throws SANDBOX_MISMATCH if the product
 * belongs to the caller's other environment.
 */
export async function findProduct(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  caller: Caller,
  id: string,
): Promise<ReadProduct> {
  const { businessId } = caller
  const read = deps.Product.findOne({ _id: id, businessId }, { sealedResponse: 0, effects: 0 })
  return visibleTo(deps, caller, await read.lean<ReadProduct | null>())
}

/** Returns `read` if the caller may see that product. Otherwise, throws the same errors as `findProduct`. */
export async function visibleTo<Read extends Pick<Product, 'listed' | 'sandbox'>>(
  deps: Pick<Deps, 'Shop'>,
  caller: Caller,
  read: Read | null,
): Promise<Read> {
  if (read?.listed && read.sandbox === caller.sandbox) return read
  await requireShop(deps, caller)
  throw refuse(read?.listed ? 'SANDBOX_MISMATCH' : 'PRODUCT_NOT_FOUND')
}
