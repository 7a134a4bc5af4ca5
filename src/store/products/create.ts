import type { mongo } from 'mongoose'
import { type CreateProductBody, createProductBody } from '../../../schemas/create-product.ts'
import type { Caller } from '../../businesses/caller.ts'
import { withinStorage } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import { openShop } from '../shops/open-shop.ts'
import { checkedBytes, type GivenSkus, newProduct, newVariant, readSkus, refuseTakenSkus } from './new-product.ts'
import { defaultLabel, type Product, presentProduct } from './product.ts'

/** The fields of a new product that come from the request. */
export interface ProductRequest extends Pick<Product, 'name' | 'description' | 'images' | 'active' | 'variants'> {
  givenSkus: GivenSkus
}

/**
 * Parses the body of a create request (SPEC 4.9). If `variants` is omitted, the price, stock and SKU at the top level
 * of the request apply to the product's only variant.
 */
export function parseCreate(deps: Pick<Deps, 'validate'>, body: unknown): ProductRequest {
  const input = deps.validate(createProductBody, body) as CreateProductBody
  const { name, description = '', images = [], active = true } = input
  const given =
    input.variants === undefined
      ? [{ label: defaultLabel, price: input.price, stock: input.stock, sku: input.sku, prefix: '' }]
      : input.variants.map((variant, index) => ({ ...variant, prefix: `variants[${index}].` }))
  return { name, description, images, active, variants: given.map(newVariant), givenSkus: readSkus(given) }
}

/**
 * Creates a product. If the caller uses a test key and the sandbox has no shop yet, creates the sandbox's shop too.
 * Throws SHOP_NOT_FOUND if the caller uses a live key and the business has no shop. Throws VALIDATION_ERROR if a SKU
 * already belongs to another product of the shop, PAYLOAD_TOO_LARGE if the product is too large to store, and
 * RATE_LIMITED if a daily quota is used up.
 */
export function createProduct(
  deps: Deps,
  caller: Caller,
  { givenSkus, ...described }: ProductRequest,
  request: WriteRequest,
): Promise<Result> {
  const { businessId, sandbox } = caller
  return withinStorage(deps, caller, (reserve) =>
    once(deps, request, { documents: [] }, async ({ session }) => {
      await openShop(deps, caller, session)
      const _id = newId()
      const product = newProduct({ ...described, _id, handle: _id, businessId, sandbox }, deps.now())
      await refuseTakenSkus(deps, product, givenSkus, session)
      await reserve({ creates: 1, bytes: checkedBytes(product) })
      await nativeCollection(deps.Product).insertOne(product, { session })
      return presentProduct(product)
    }),
  )
}

/** Adds a product to an empty sandbox, and returns it. */
export async function addSampleProduct(
  deps: Pick<Deps, 'Shop' | 'Product' | 'config' | 'now'>,
  caller: Caller,
  session: mongo.ClientSession,
): Promise<Product> {
  await openShop(deps, caller, session)
  const { businessId, sandbox } = caller
  const price = Math.min(10_000, deps.config.maxAmount)
  const sample = newProduct(
    {
      _id: newId(),
      handle: 'sample-product',
      businessId,
      sandbox,
      name: 'Sample product',
      description: '',
      images: [],
      active: true,
      variants: [newVariant({ label: defaultLabel, price, stock: 100_000 })],
    },
    deps.now(),
  )
  await nativeCollection(deps.Product).insertOne(sample, { session })
  return sample
}
