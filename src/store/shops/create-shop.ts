import type { Deps } from '../../deps.ts'
import { isDuplicate } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import type { Shop } from './shop.ts'

/** Creates a business's shop in one environment. Returns null if the business already has a shop there. */
export async function createShop(
  deps: Pick<Deps, 'Shop' | 'now'>,
  input: Pick<Shop, 'businessId' | 'sandbox' | 'name'>,
): Promise<Shop | null> {
  const shop: Shop = { _id: newId(), ...input, createdAt: deps.now() }
  try {
    await deps.Shop.create(shop)
    return shop
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}
