import type { ListProductsQuery } from '../../../schemas/list-products.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Page, readPage, readSlice, type Slice } from '../../input/pagination.ts'
import { literally } from '../../mongo/escape-regex.ts'
import { requireShop } from '../shops/open-shop.ts'
import { type SeenProduct, seenFields } from './present.ts'
import type { Product } from './product.ts'

export interface ProductSearch extends Slice {
  active: boolean | null
  /** Text in the name, whatever its case. */
  text: string | null
  sku: string | null
}

/** Reads the query of the list of products. */
export function parseProductSearch(query: ListProductsQuery): ProductSearch {
  const { active, q: text = null, sku = null } = query
  return { active: active === undefined ? null : active === 'true', text, sku, ...readSlice(query) }
}

/** The caller's products, newest first; ties by id. SHOP_NOT_FOUND. */
export async function listProducts(
  deps: Pick<Deps, 'Product' | 'Shop'>,
  caller: Caller,
  search: ProductSearch,
): Promise<Page<SeenProduct>> {
  await requireShop(deps, caller)
  const { active, text, sku } = search
  const where = {
    businessId: caller.businessId,
    sandbox: caller.sandbox,
    listed: true,
    ...(active === null ? {} : { active }),
    ...(text === null ? {} : { name: { $regex: literally(text), $options: 'i' } }),
    // By the index of those in use; among them may be one that an import has only prepared.
    ...(sku === null ? {} : { skus: sku, 'variants.sku': sku }),
  }
  const index = sku === null ? 'byTime' : 'skuInUse'
  return readPage<SeenProduct, Product>(deps.Product, { where, index, fields: seenFields }, search)
}
