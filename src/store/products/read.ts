import type { mongo } from 'mongoose'
import type { ListProductsQuery } from '../../../schemas/products.ts'
import { type Caller, requireOwned } from '../../businesses/caller.ts'
import { type Page, type PageRequest, parsePageRequest, readPage } from '../../lists/pagination.ts'
import { rawCollection } from '../../mongo/collection.ts'
import { escapeRegex } from '../../mongo/escape-regex.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireShop } from '../shops/shops.ts'
import { type Product, productProjection, type ShownProduct } from './product.ts'

interface ProductSearch extends PageRequest {
  active: boolean | null
  /** Matches part of the name, ignoring case. */
  text: string | null
  sku: string | null
}

export function parseProductSearch(query: ListProductsQuery): ProductSearch {
  const { active, q: text = null, sku = null } = query
  return { active: active === undefined ? null : active === 'true', text, sku, ...parsePageRequest(query) }
}

export async function listProducts(
  deps: Pick<Deps, 'Product' | 'Shop'>,
  caller: Caller,
  search: ProductSearch,
): Promise<Page<ShownProduct>> {
  await requireShop(deps, caller)
  const { active, text, sku } = search
  const where = {
    businessId: caller.businessId,
    sandbox: caller.sandbox,
    listed: true,
    ...(active === null ? {} : { active }),
    ...(text === null ? {} : { name: { $regex: escapeRegex(text), $options: 'i' } }),
    ...(sku === null ? {} : { skus: sku }),
  }
  const index = sku === null ? 'byTime' : 'skuInUse'
  return readPage<ShownProduct, Product>(deps.Product, { where, index, fields: productProjection }, search)
}

export async function findProduct(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  caller: Caller,
  id: string,
  session?: mongo.ClientSession,
): Promise<Product> {
  const own = { _id: id, businessId: caller.businessId, listed: true }
  const found = await rawCollection(deps.Product).findOne(own, { ...(session && { session }) })
  if (found?.sandbox !== caller.sandbox) await requireShop(deps, caller, session)
  return requireOwned(caller, found, 'PRODUCT_NOT_FOUND')
}
