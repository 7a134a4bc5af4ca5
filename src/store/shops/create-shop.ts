import type { Deps } from '../../deps.ts'
import { isDuplicate } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import type { Shop } from './shop.ts'

/** Makes the shop of a business in one environment, or null when it has one. */
export async function createShop(
  deps: Pick<Deps, 'Shop' | 'now'>,
  asked: Pick<Shop, 'businessId' | 'sandbox' | 'name'>,
): Promise<Shop | null> {
  const shop: Shop = { _id: newId(), ...asked, createdAt: deps.now() }
  try {
    await deps.Shop.create(shop)
    return shop
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}
