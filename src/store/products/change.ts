import { maxStock, maxVariants } from '../../../schemas/product-limits.ts'
import {
  type ChangeStockBody,
  changeStockBody,
  type UpdateProductBody,
  updateProductBody,
  type VariantFields,
} from '../../../schemas/products.ts'
import { once } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import { refuseLarge, withinStorage } from '../../businesses/quotas.ts'
import type { Result, WriteRequest } from '../../idempotency/request.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { withoutUndefined } from '../../mongo/id-page.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { checkedBytes, type GivenSkus, newVariant, readSkus, refuseTakenSkus, skusOf, skuTaken } from './create.ts'
import {
  type Product,
  pickVariant,
  presentProduct,
  presentVariant,
  type Variant,
  variantById,
  variantByLabel,
} from './product.ts'
import { findProduct } from './read.ts'

type ChangeDeps = Pick<Deps, 'AuditEvent' | 'Product' | 'Shop' | 'StoredResponse' | 'now' | 'transactions'>

/**
 * Parses the body of an update request (SPEC 4.9). The rules are the same as for a create request, except that every
 * field is optional.
 */
export function parseChange(deps: Pick<Deps, 'validate'>, body: unknown): ProductChange {
  const input = deps.validate(updateProductBody, body)
  const { name, description, images, active, removeMissingVariants = false } = input
  const variants = variantsOf(input)
  return {
    fields: withoutUndefined({ name, description, images, active }),
    variants,
    removesOthers: removeMissingVariants && input.variants !== undefined,
    givenSkus: readSkus((variants ?? []).map(({ prefix, set }) => ({ prefix, sku: set.sku ?? null }))),
  }
}

/**
 * Returns the changes to variants, or null if there are none. If `variants` is omitted, the label, price, stock and SKU
 * at the top level of the request apply to the product's only variant.
 */
function variantsOf(input: UpdateProductBody): VariantChange[] | null {
  if (input.variants !== undefined)
    return input.variants.map(({ _id = null, ...fields }, index) => ({
      prefix: `variants[${index}].`,
      _id,
      set: fieldsOf(fields),
    }))
  const set = fieldsOf(input)
  return Object.keys(set).length === 0 ? null : [{ prefix: '', _id: null, set }]
}

const fieldsOf = ({ label, price, stock, sku }: VariantFields): VariantChange['set'] =>
  withoutUndefined({ label, price, stock, sku })

/**
 * Changes only the fields that the request contains. Throws the errors of `findProduct` and `changedProduct`. Also
 * throws VALIDATION_ERROR if a SKU already belongs to another product of the shop. If the product gets larger, throws
 * PAYLOAD_TOO_LARGE if it is too large to store. Throws RATE_LIMITED if it gets larger or its response is large, and a
 * daily quota is used up.
 */
export async function updateProduct(
  deps: Pick<
    Deps,
    'AuditEvent' | 'Product' | 'Shop' | 'StoredResponse' | 'config' | 'counters' | 'now' | 'transactions'
  >,
  caller: Caller,
  id: string,
  change: ProductChange,
  request: WriteRequest,
): Promise<Result> {
  if (change.variants === null && Object.keys(change.fields).length === 0)
    return { kind: 'none', data: presentProduct(await findProduct(deps, caller, id)) }
  return withinStorage(deps, caller, (reserve) =>
    once(deps, request, { documents: [id] }, async ({ session }) => {
      const product = await findProduct(deps, caller, id, session)
      const set = { ...changedProduct(product, change), updatedAt: deps.now() }
      await refuseTakenSkus(deps, product, change.givenSkus, session)
      const changed = { ...product, ...set }
      const before = bytesOf(product)
      if (bytesOf(changed) > before) await reserve({ bytes: checkedBytes(changed) - before })
      else await refuseLarge(deps, caller, bytesOf(changed))
      await nativeCollection(deps.Product).updateOne({ _id: id }, { $set: set }, { session })
      return presentProduct(changed)
    }),
  )
}

/** Deletes a product, which frees its SKUs and its handle. Throws the errors of `findProduct`. */
export const deleteProduct = (deps: ChangeDeps, caller: Caller, id: string, request: WriteRequest): Promise<Result> =>
  once(deps, request, { documents: [id] }, async ({ session }) => {
    await findProduct(deps, caller, id, session)
    const now = deps.now()
    await nativeCollection(deps.Product).updateOne(
      { _id: id },
      { $set: { listed: false, deletedAt: now, updatedAt: now, skus: [] }, $unset: { handle: 1 } },
      { session },
    )
    return { _id: id, deleted: true }
  })

/**
 * A change to a product. Fields that are omitted keep their values. Variants that are omitted are not changed, unless
 * `removesOthers` is true.
 */
export interface ProductChange {
  fields: Partial<Pick<Product, 'name' | 'description' | 'images' | 'active'>>
  /** The changes to variants. If the request does not change any variants, this is null. */
  variants: VariantChange[] | null
  /** Whether to remove the variants that the request does not contain. */
  removesOthers: boolean
  givenSkus: GivenSkus
}

/**
 * A change to one variant. The variant is identified by its `_id`, or by its label if there is no `_id`. If there is no
 * label either, the change is for the product's only variant.
 */
export interface VariantChange {
  /** The prefix of the variant's fields in the request, such as `variants[0].`. */
  prefix: string
  _id: string | null
  set: Partial<Omit<Variant, '_id'>>
}

/** One entry of a change, together with its variant before and after the change. For a new variant, `old` is null. */
interface ChangedVariant {
  entry: VariantChange
  old: Variant | null
  variant: Variant
}

type Changeable = Pick<Product, 'variants'>

/**
 * Returns the fields to set in the product. Throws VARIANT_NOT_FOUND or VARIANT_LABEL_AMBIGUOUS if an entry does not
 * identify exactly one variant. Throws VALIDATION_ERROR if two entries identify the same variant, if a new variant has
 * no price, if the product would have too many variants, or if a variant would get a SKU that another one keeps.
 */
function changedProduct(product: Changeable, change: ProductChange): Partial<Product> {
  if (change.variants === null) return change.fields
  const changed = change.variants.map((entry) => applyEntry(product, entry))
  refuseDuplicates(changed)
  const kept = change.removesOthers ? [] : product.variants.filter(({ _id }) => !changed.some(hasId(_id)))
  refuseKeptSkus(kept, changed, change.givenSkus)
  const variants = change.removesOthers
    ? changed.map(({ variant }) => variant)
    : [
        ...product.variants.map((old) => changed.find(hasId(old._id))?.variant ?? old),
        ...changed.filter(({ old }) => old === null).map(({ variant }) => variant),
      ]
  const { length } = variants
  if (length > maxVariants)
    throw invalid('variants', `can contain at most ${maxVariants} variants, but the product would have ${length}`)
  return { ...change.fields, variants, skus: skusOf(variants) }
}

const hasId =
  (id: string) =>
  ({ variant }: ChangedVariant): boolean =>
    variant._id === id

function applyEntry(product: Changeable, entry: VariantChange): ChangedVariant {
  const old = findVariant(product, entry)
  if (old !== null) return { entry, old, variant: { ...old, ...entry.set } }
  const { prefix, set } = entry
  const { label = '', price } = set
  if (price === undefined) throw invalid(`${prefix}price`, 'is required for a new variant')
  return { entry, old, variant: newVariant({ ...set, label, price }) }
}

/** Finds the variant that an entry identifies. Returns null if the entry describes a new variant. */
function findVariant(product: Changeable, { prefix, _id, set }: VariantChange): Variant | null {
  if (_id !== null) return variantById(product, _id, `${prefix}_id`)
  const { label } = set
  const [only, ...more] = product.variants
  if (label !== undefined)
    return product.variants.some((variant) => variant.label === label)
      ? variantByLabel(product, label, `${prefix}label`)
      : null
  if (only !== undefined && more.length === 0) return only
  throw invalid(Object.keys(set)[0] ?? 'variants', 'must be set in variants, because the product has several')
}

function refuseDuplicates(changed: ChangedVariant[]): void {
  const seen = new Set<string>()
  for (const { entry, variant } of changed) {
    const param = `${entry.prefix}${entry._id === null ? 'label' : '_id'}`
    if (seen.has(variant._id)) throw invalid(param, 'identifies a variant that another entry already identifies')
    seen.add(variant._id)
  }
}

/**
 * Throws VALIDATION_ERROR if the request gives a variant a SKU that another variant keeps. The SKUs in the request are
 * not compared with each other, because `readSkus` has already compared them.
 */
function refuseKeptSkus(kept: Variant[], changed: ChangedVariant[], givenSkus: GivenSkus): void {
  const keeping = changed.filter(({ entry }) => entry.set.sku === undefined).map(({ variant }) => variant)
  const taken = new Set(skusOf([...kept, ...keeping]))
  for (const [sku, param] of givenSkus)
    if (taken.has(sku)) throw skuTaken(param, `${param} is in use by another variant.`)
}

const invalid = (param: string, problem: string): Refusal =>
  refuse('VALIDATION_ERROR', { param, message: `${param} ${problem}.` })

/**
 * Parses the body of a stock change. Throws VALIDATION_ERROR if a field is invalid, or if the body contains both
 * `stock` and `delta` or neither of them.
 */
export const parseStockChange = (deps: Pick<Deps, 'validate'>, body: unknown): ChangeStockBody =>
  deps.validate(changeStockBody, body) as ChangeStockBody

/**
 * Changes the stock of a variant. `idOrLabel` is the `_id` of the variant, or its label. Throws INSUFFICIENT_STOCK if
 * the stock would fall below 0, and VALIDATION_ERROR if the stock would exceed `maxStock`. Also throws the errors of
 * `findProduct` and `pickVariant`.
 */
export const changeStock = (
  deps: ChangeDeps,
  caller: Caller,
  { productId, idOrLabel }: { productId: string; idOrLabel: string },
  change: ChangeStockBody,
  request: WriteRequest,
): Promise<Result> =>
  once(deps, request, { documents: [productId] }, async ({ session }) => {
    const variant = pickVariant(await findProduct(deps, caller, productId, session), idOrLabel, null)
    const stock = 'stock' in change ? change.stock : sumOf(productId, variant, change.delta)
    await nativeCollection(deps.Product).updateOne(
      { _id: productId, 'variants._id': variant._id },
      { $set: { 'variants.$.stock': stock, updatedAt: deps.now() } },
      { session },
    )
    return { productId, ...presentVariant({ ...variant, stock }) }
  })

function sumOf(productId: string, { _id: variantId, stock: available }: Variant, delta: number): number {
  const requested = -delta
  if (requested > available)
    throw refuse('INSUFFICIENT_STOCK', { details: { productId, variantId, requested, available } })
  if (available + delta > maxStock)
    throw refuse('VALIDATION_ERROR', {
      param: 'delta',
      message: `delta must not bring the stock above ${maxStock}. The stock is now ${available}.`,
    })
  return available + delta
}
