import type { mongo } from 'mongoose'
import { type CreateProductBody, createProductBody, maxProductBytes } from '../../../schemas/products.ts'
import { auditedOnce } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import { type QuotaDeps, withinStorage } from '../../businesses/quotas.ts'
import type { OperationResult, WriteRequest } from '../../idempotency/request.ts'
import { bytesOf, nativeCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { openShop } from '../shops/shops.ts'
import { defaultLabel, type Product, presentProduct, type Variant } from './product.ts'

export type StoreWriteDeps = Parameters<typeof auditedOnce>[0] & QuotaDeps & Pick<Deps, 'Product' | 'Shop'>

export type ProductDescription = Pick<
  Product,
  'businessId' | 'sandbox' | '_id' | 'handle' | 'name' | 'description' | 'images' | 'active' | 'variants'
>

export const newProduct = (described: ProductDescription, now: Date): Product => ({
  ...described,
  skus: skusOf(described.variants),
  listed: true,
  deletedAt: null,
  createdAt: now,
  updatedAt: now,
})

export const tooLarge = (bytes: number): string =>
  `The product would take up ${bytes} bytes. It can take up at most ${maxProductBytes}. Shorten its texts, or give it fewer variants.`

export function sizeWithinLimit(product: Product): number {
  const bytes = bytesOf(product)
  if (bytes > maxProductBytes) throw refuse('PAYLOAD_TOO_LARGE', { message: tooLarge(bytes) })
  return bytes
}

export const newVariant = ({ label, price, sku, stock }: GivenVariant): Variant => ({
  _id: newId(),
  label,
  sku: sku ?? null,
  price,
  stock: stock ?? 0,
})

type GivenVariant = Pick<Variant, 'label' | 'price'> & {
  [Field in 'sku' | 'stock']?: Variant[Field] | null | undefined
}

export const skusOf = (variants: readonly Partial<Pick<Variant, 'sku'>>[]): string[] =>
  variants.flatMap(({ sku }) => sku ?? [])

/** Maps each SKU of a request to the name of its field. */
export type GivenSkus = ReadonlyMap<string, string>

export function readSkus(given: readonly { sku?: string | null | undefined; prefix: string }[]): GivenSkus {
  const skus = new Map<string, string>()
  for (const { sku, prefix } of given) {
    if (sku === undefined || sku === null) continue
    const param = `${prefix}sku`
    const first = skus.get(sku)
    if (first !== undefined)
      throw skuTaken(param, `${param} is the same as ${first}. Each variant needs its own SKU.`)
    skus.set(sku, param)
  }
  return skus
}

export const skuTaken = (param: string, message: string): Refusal =>
  refuse('VALIDATION_ERROR', { param, message })

/** Throws VALIDATION_ERROR for another product's SKU. A unique index makes concurrent transactions retry. */
export async function refuseTakenSkus(
  { Product }: Pick<Deps, 'Product'>,
  { _id, businessId, sandbox }: Pick<Product, '_id' | 'businessId' | 'sandbox'>,
  given: GivenSkus,
  session: mongo.ClientSession,
): Promise<void> {
  if (given.size === 0) return
  const others = await Product.find(
    { businessId, sandbox, skus: { $in: [...given.keys()] }, _id: { $ne: _id } },
    { skus: 1 },
    { session },
  ).lean<Pick<Product, 'skus'>[]>()
  const taken = new Set(others.flatMap(({ skus }) => skus))
  for (const [sku, param] of given)
    if (taken.has(sku)) throw skuTaken(param, `${param} is already used by another product.`)
}

interface ProductRequest extends Pick<Product, 'name' | 'description' | 'images' | 'active' | 'variants'> {
  givenSkus: GivenSkus
}

/** Without `variants`, the top-level price, stock and SKU are for the product's only variant (SPEC 4.9). */
export function parseCreateProduct(deps: Pick<Deps, 'validate'>, body: unknown): ProductRequest {
  const input = deps.validate(createProductBody, body) as CreateProductBody
  const { name, description = '', images = [], active = true } = input
  const given =
    input.variants === undefined
      ? [{ label: defaultLabel, price: input.price, stock: input.stock, sku: input.sku, prefix: '' }]
      : input.variants.map((variant, index) => ({ ...variant, prefix: `variants[${index}].` }))
  return { name, description, images, active, variants: given.map(newVariant), givenSkus: readSkus(given) }
}

/** Throws SHOP_NOT_FOUND, PAYLOAD_TOO_LARGE, RATE_LIMITED, and the errors of `refuseTakenSkus`. */
export function createProduct(
  deps: StoreWriteDeps,
  caller: Caller,
  { givenSkus, ...described }: ProductRequest,
  request: WriteRequest,
): Promise<OperationResult> {
  const { businessId, sandbox } = caller
  return withinStorage(deps, caller, (reserve) =>
    auditedOnce(deps, request, { documents: [] }, async ({ session }) => {
      await openShop(deps, caller, session)
      const _id = newId()
      const product = newProduct({ ...described, _id, handle: _id, businessId, sandbox }, deps.now())
      await refuseTakenSkus(deps, product, givenSkus, session)
      await reserve({ creates: 1, bytes: sizeWithinLimit(product) })
      await nativeCollection(deps.Product).insertOne(product, { session })
      return presentProduct(product)
    }),
  )
}

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
