import type { mongo } from 'mongoose'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { requireShop } from '../shops/open-shop.ts'
import type { Product } from './product.ts'

/**
 * Returns one of the caller's products. Throws SHOP_NOT_FOUND if the caller has no shop. Throws PRODUCT_NOT_FOUND if
 * the product does not exist, has been deleted or belongs to another business. Throws SANDBOX_MISMATCH if the product
 * belongs to the caller's other environment.
 */
export async function findProduct(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  caller: Caller,
  id: string,
  session?: mongo.ClientSession,
): Promise<Product> {
  const { businessId, sandbox } = caller
  const found = await nativeCollection(deps.Product).findOne({ _id: id, businessId }, { ...(session && { session }) })
  if (found?.listed && found.sandbox === sandbox) return found
  await requireShop(deps, caller, session)
  throw refuse(found?.listed ? 'SANDBOX_MISMATCH' : 'PRODUCT_NOT_FOUND')
}
