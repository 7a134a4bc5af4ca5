import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import type { Product } from '../products/product.ts'
import type { StandingProduct } from './compare-product.ts'
import type { ProductRow } from './row.ts'
import { takeBackDead } from './take-back.ts'

type Found = StandingProduct & Pick<Product, 'listed' | 'prepared'>
type Shop = Pick<Product, 'businessId' | 'sandbox'>

const looksAt = {
  handle: 1,
  name: 1,
  description: 1,
  active: 1,
  variants: 1,
  listed: 1,
  prepared: 1,
} as const

/** The shop's products that have a handle or a SKU of these rows, as its merchant sees them. */
export async function readStanding(
  deps: Pick<Deps, 'Product'>,
  shop: Shop,
  rows: readonly ProductRow[],
): Promise<StandingProduct[]> {
  return (await find(deps, shop, rows)).filter(({ listed }) => listed)
}

/**
 * The same for who has the shop's place. What still stands prepared is of an import that is over, though a write of its own landed late,
 * and would hold handles and SKUs: it is taken back first.
 */
export async function readCleared(
  deps: Pick<Deps, 'Product' | 'ImportPlan'>,
  shop: Shop,
  rows: readonly ProductRow[],
): Promise<StandingProduct[]> {
  const found = await find(deps, shop, rows)
  const strangers = new Set(found.flatMap(({ prepared }) => prepared?.by ?? []))
  if (strangers.size === 0) return found.filter(({ listed }) => listed)
  await takeBackDead(deps, [...strangers])
  return readStanding(deps, shop, rows)
}

function find(
  deps: Pick<Deps, 'Product'>,
  { businessId, sandbox }: Shop,
  rows: readonly ProductRow[],
): Promise<Found[]> {
  const handles = [...new Set(rows.map(({ handle }) => handle))]
  const skus = [...new Set(rows.flatMap(({ sku }) => sku ?? []))]
  const own = { businessId, sandbox }
  // Each branch whole, so that each has its index.
  const named = {
    $or: [
      { ...own, handle: { $in: handles } },
      { ...own, skus: { $in: skus } },
    ],
  }
  return pastMongoose(deps.Product).find<Found>(named, { projection: looksAt }).toArray()
}
