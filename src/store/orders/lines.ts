import type { mongo } from 'mongoose'
import type { SimulatedItem } from '../../../schemas/simulate-order.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { addSampleProduct } from '../products/create.ts'
import { variantById, variantByLabel } from '../products/pick-variant.ts'
import type { Product, Variant } from '../products/product.ts'

/** The fields of a product that an order needs. */
type SoldProduct = Pick<Product, '_id' | 'sandbox' | 'name' | 'active' | 'variants'>

/** One item of the request, with its product and variant as they were read from the database. */
export interface Line {
  /** The request field that contains the item, such as `items[0]`. */
  param: string
  product: SoldProduct
  variant: Variant
  quantity: number
}

const soldFields = { sandbox: 1, name: 1, active: 1, variants: 1 } as const

/**
 * Finds the items' products and variants in one query. Throws PRODUCT_NOT_FOUND or SANDBOX_MISMATCH if the caller
 * cannot see a product. Throws VARIANT_NOT_FOUND or VARIANT_LABEL_AMBIGUOUS if an item does not identify exactly one
 * variant. Throws VALIDATION_ERROR if a product is inactive, or if a product has several variants and the item does not
 * specify which of them to order.
 */
export async function findLines(
  { Product }: Pick<Deps, 'Product'>,
  { businessId, sandbox }: Caller,
  items: SimulatedItem[],
  session: mongo.ClientSession,
): Promise<Line[]> {
  const ids = items.map(({ productId }) => productId)
  const where = { _id: { $in: ids }, businessId, listed: true }
  const products = await nativeCollection(Product)
    .find<SoldProduct>(where, { projection: soldFields, session })
    .toArray()
  const byId = new Map(products.map((product) => [product._id, product]))
  const found = items.map((item, index) => {
    const product = byId.get(item.productId)
    const param = `items[${index}]`
    if (product === undefined) throw refuse('PRODUCT_NOT_FOUND', { param: `${param}.productId` })
    return { item, product, param }
  })
  for (const { product, param } of found)
    if (product.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH', { param: `${param}.productId` })
  const lines = found.map(({ item, product, param }) => ({
    param,
    product,
    variant: variantOf(item, product, param),
    quantity: item.quantity,
  }))
  for (const { product, param } of lines) if (!product.active) throw notForSale(param)
  return lines
}

function variantOf({ variantId, variantLabel }: SimulatedItem, product: SoldProduct, param: string): Variant {
  if (variantId !== undefined) return variantById(product, variantId, `${param}.variantId`)
  if (variantLabel !== undefined) return variantByLabel(product, variantLabel, `${param}.variantLabel`)
  const [only, ...others] = product.variants
  if (only !== undefined && others.length === 0) return only
  throw refuse('VALIDATION_ERROR', {
    param: `${param}.variantId`,
    message: 'This product has several variants. Choose one with variantId or variantLabel.',
    details: { variants: product.variants.map(({ _id, label }) => ({ _id, label })) },
  })
}

const notForSale = (param: string) =>
  refuse('VALIDATION_ERROR', {
    param: `${param}.productId`,
    message: 'This product is not for sale (active is false).',
  })

/**
 * The maximum duration of the search, which may have to skip many sold-out products. If the search takes longer than
 * this, the response has the status 503.
 */
const searchTimeoutMs = 2000

/**
 * Returns a line for one unit of a variant that is in stock, of the newest active product with such a variant. If the
 * sandbox has no product at all, adds a sample product first, and passes it to `onSample`. Throws INSUFFICIENT_STOCK if
 * nothing is in stock.
 */
export async function findAnyLine(
  deps: Pick<Deps, 'Shop' | 'Product' | 'config' | 'now'>,
  caller: Caller,
  session: mongo.ClientSession,
  onSample: (sample: Product) => void,
): Promise<Line[]> {
  const { businessId, sandbox } = caller
  const where = { businessId, sandbox, listed: true, active: true, variants: { $elemMatch: { stock: { $gte: 1 } } } }
  let product = await deps.Product.findOne(where, soldFields, { session })
    .sort({ createdAt: -1, _id: -1 })
    .maxTimeMS(searchTimeoutMs)
    .lean<SoldProduct | null>()
  if (product === null && sandbox && (await isEmpty(deps, caller, session))) {
    const sample = await addSampleProduct(deps, caller, session)
    onSample(sample)
    product = sample
  }
  const variant = product?.variants.find(({ stock }) => stock >= 1)
  if (product !== null && variant !== undefined) return [{ param: 'items', product, variant, quantity: 1 }]
  throw refuse('INSUFFICIENT_STOCK', {
    message: 'No variant of an active product is in stock.',
    details: { items: [] },
  })
}

const isEmpty = async (
  { Product }: Pick<Deps, 'Product'>,
  { businessId, sandbox }: Caller,
  session: mongo.ClientSession,
): Promise<boolean> => (await Product.exists({ businessId, sandbox, listed: true }).session(session)) === null
