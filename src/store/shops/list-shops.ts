import type { KeyMode } from '../../businesses/api-key.ts'
import type { Deps } from '../../deps.ts'
import { given, type IdPage, type IdSlice, mapPage, orders, readIdPage } from '../../mongo/id-page.ts'
import type { Shop } from './shop.ts'

/** Selects shops. Omitted fields do not restrict the selection. */
export interface ShopFilter {
  businessId?: string
  mode?: KeyMode
}

/** The facts about a shop that staff see. */
export interface ShopFacts extends Pick<Shop, 'businessId' | 'name' | 'createdAt'> {
  id: string
  mode: KeyMode
}

/** Returns the shops that match, newest first. */
export async function listShops(
  deps: Pick<Deps, 'Shop'>,
  { businessId, mode }: ShopFilter,
  slice: IdSlice,
): Promise<IdPage<ShopFacts>> {
  const where = given({ businessId, sandbox: mode && mode === 'test' })
  return mapPage(await readIdPage(deps.Shop, where, slice, orders.newestFirst), shopFacts)
}

/** Returns a shop with the number of its products, or null if there is no shop with this id. */
export async function lookUpShop(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  id: string,
): Promise<(ShopFacts & { products: number }) | null> {
  const shop = await deps.Shop.findOne({ _id: id }).lean<Shop | null>()
  if (shop === null) return null
  const { businessId, sandbox } = shop
  const products = await deps.Product.countDocuments({ businessId, sandbox, listed: true })
  return { ...shopFacts(shop), products }
}

const shopFacts = ({ _id: id, businessId, sandbox, name, createdAt }: Shop): ShopFacts => ({
  id,
  businessId,
  mode: sandbox ? 'test' : 'live',
  name,
  createdAt,
})
