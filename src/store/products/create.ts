import type { mongo } from 'mongoose'
import { type CreateProductBody, createProductBody, maxProductBytes } from '../../../schemas/products.ts'
import { runAuditedOnce } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import { type QuotaDeps, withStorageQuota } from '../../businesses/quotas.ts'
import type { OperationResult, WriteRequest } from '../../idempotency/request.ts'
import { measureBson, rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { ensureShop } from '../shops/shops.ts'
import { defaultVariantLabel, type Product, presentProduct, type Variant } from './product.ts'

export type StoreWriteDeps = Parameters<typeof runAuditedOnce>[0] & QuotaDeps & Pick<Deps, 'Product' | 'Shop'>

export type ProductDraft = Pick<
  Product,
  'businessId' | 'sandbox' | '_id' | 'handle' | 'name' | 'description' | 'images' | 'active' | 'variants'
>

export const buildProduct = (described: ProductDraft, now: Date): Product => ({
  ...described,
  skus: collectSkus(described.variants),
  listed: true,
  deletedAt: null,
  createdAt: now,
  updatedAt: now,
})

export const productSizeMessage = (bytes: number): string =>
  `The product would take up ${bytes} bytes. It can take up at most ${maxProductBytes}. Shorten its text, or give it fewer variants.`

export function checkProductSize(product: Product): number {
  const bytes = measureBson(product)
  if (bytes > maxProductBytes) throw refuse('PAYLOAD_TOO_LARGE', { message: productSizeMessage(bytes) })
  return bytes
}

export const buildVariant = ({ label, price, sku, stock }: GivenVariant): Variant => ({
  _id: newId(),
  label,
  sku: sku ?? null,
  price,
  stock: stock ?? 0,
})

type GivenVariant = Pick<Variant, 'label' | 'price'> & {
  [Field in 'sku' | 'stock']?: Variant[Field] | null | undefined
}

export const collectSkus = (variants: readonly Partial<Pick<Variant, 'sku'>>[]): string[] =>
  variants.flatMap(({ sku }) => sku ?? [])

export type SkuParams = ReadonlyMap<string, string>

export function mapSkusToParams(
  given: readonly { sku?: string | null | undefined; prefix: string }[],
): SkuParams {
  const skus = new Map<string, string>()
  for (const { sku, prefix } of given) {
    if (sku === undefined || sku === null) continue
    const param = `${prefix}sku`
    const first = skus.get(sku)
    if (first !== undefined)
      throw skuRefusal(param, `${param} is the same as ${first}. Each variant needs its own SKU.`)
    skus.set(sku, param)
  }
  return skus
}

export const skuRefusal = (param: string, message: string): Refusal =>
  refuse('VALIDATION_ERROR', { param, message })

/** A unique index makes concurrent transactions retry. */
export async function refuseTakenSkus(
  { Product }: Pick<Deps, 'Product'>,
  { _id, businessId, sandbox }: Pick<Product, '_id' | 'businessId' | 'sandbox'>,
  given: SkuParams,
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
    if (taken.has(sku)) throw skuRefusal(param, `${param} is already used by another product.`)
}

interface ProductRequest extends Pick<Product, 'name' | 'description' | 'images' | 'active' | 'variants'> {
  givenSkus: SkuParams
}

/** SPEC 4.9. If a product has one variant, top-level fields describe it. */
export function parseCreateProduct(deps: Pick<Deps, 'validate'>, body: unknown): ProductRequest {
  const input = deps.validate(createProductBody, body) as CreateProductBody
  const { name, description = '', images = [], active = true } = input
  const given =
    input.variants === undefined
      ? [{ label: defaultVariantLabel, price: input.price, stock: input.stock, sku: input.sku, prefix: '' }]
      : input.variants.map((variant, index) => ({ ...variant, prefix: `variants[${index}].` }))
  return {
    name,
    description,
    images,
    active,
    variants: given.map(buildVariant),
    givenSkus: mapSkusToParams(given),
  }
}

export function createProduct(
  deps: StoreWriteDeps,
  caller: Caller,
  { givenSkus, ...described }: ProductRequest,
  request: WriteRequest,
): Promise<OperationResult> {
  const { businessId, sandbox } = caller
  return withStorageQuota(deps, caller, (reserve) =>
    runAuditedOnce(deps, request, { documents: [] }, async ({ session }) => {
      await ensureShop(deps, caller, session)
      const _id = newId()
      const product = buildProduct({ ...described, _id, handle: _id, businessId, sandbox }, deps.now())
      await refuseTakenSkus(deps, product, givenSkus, session)
      await reserve({ creates: 1, bytes: checkProductSize(product) })
      await rawCollection(deps.Product).insertOne(product, { session })
      return presentProduct(product)
    }),
  )
}

const sampleProduct = {
  handle: 'sample-product',
  name: 'Sample product',
  description: '',
  images: [],
  active: true,
}

export async function addSampleProduct(
  deps: Pick<Deps, 'Shop' | 'Product' | 'config' | 'now'>,
  caller: Caller,
  session: mongo.ClientSession,
): Promise<Product> {
  await ensureShop(deps, caller, session)
  const { businessId, sandbox } = caller
  const price = Math.min(10_000, deps.config.maxAmount)
  const variants = [buildVariant({ label: defaultVariantLabel, price, stock: 100_000 })]
  const draft = { ...sampleProduct, _id: newId(), businessId, sandbox, variants }
  const sample = buildProduct(draft, deps.now())
  await rawCollection(deps.Product).insertOne(sample, { session })
  return sample
}
