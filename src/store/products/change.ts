import * as schema from '../../../schemas/products.ts'
import { runAuditedOnce } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import { checkLargeRow, withStorageQuota } from '../../businesses/quotas.ts'
import type { OperationResult, WriteRequest } from '../../idempotency/request.ts'
import { measureBson, rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { omitUndefined } from '../../platform/without-undefined.ts'
import type { SkuParams, StoreWriteDeps } from './create.ts'
import {
  buildVariant,
  checkProductSize,
  collectSkus,
  mapSkusToParams,
  refuseTakenSkus,
  skuRefusal,
} from './create.ts'
import type { Product, Variant } from './product.ts'
import { getVariantById, getVariantByLabel, pickVariant, presentProduct, presentVariant } from './product.ts'
import { findProduct } from './read.ts'

export function parseUpdateProduct(deps: Pick<Deps, 'validate'>, body: unknown): ProductChange {
  const input = deps.validate(schema.updateProductBody, body)
  const { name, description, images, active, removeMissingVariants = false } = input
  const variants = variantsOf(input)
  return {
    fields: omitUndefined({ name, description, images, active }),
    variants,
    removesOthers: removeMissingVariants && input.variants !== undefined,
    givenSkus: mapSkusToParams((variants ?? []).map(({ prefix, set }) => ({ prefix, sku: set.sku ?? null }))),
  }
}

function variantsOf(input: schema.UpdateProductBody): VariantChange[] | null {
  if (input.variants !== undefined)
    return input.variants.map(({ _id = null, ...fields }, index) => ({
      prefix: `variants[${index}].`,
      _id,
      set: fieldsOf(fields),
    }))
  const set = fieldsOf(input)
  return Object.keys(set).length === 0 ? null : [{ prefix: '', _id: null, set }]
}

const fieldsOf = ({ label, price, stock, sku }: schema.VariantFields): VariantChange['set'] =>
  omitUndefined({ label, price, stock, sku })

export async function updateProduct(
  deps: StoreWriteDeps,
  caller: Caller,
  id: string,
  change: ProductChange,
  request: WriteRequest,
): Promise<OperationResult> {
  if (change.variants === null && Object.keys(change.fields).length === 0)
    return { kind: 'none', data: presentProduct(await findProduct(deps, caller, id)) }
  return withStorageQuota(deps, caller, (reserve) =>
    runAuditedOnce(deps, request, { documents: [id] }, async ({ session }) => {
      const product = await findProduct(deps, caller, id, session)
      const set = { ...changedProduct(product, change), updatedAt: deps.now() }
      await refuseTakenSkus(deps, product, change.givenSkus, session)
      const changed = { ...product, ...set }
      const before = measureBson(product)
      if (measureBson(changed) > before) await reserve({ bytes: checkProductSize(changed) - before })
      else await checkLargeRow(deps, caller, measureBson(changed))
      await rawCollection(deps.Product).updateOne({ _id: id }, { $set: set }, { session })
      return presentProduct(changed)
    }),
  )
}

/** Frees the product's SKUs and handle. */
export const deleteProduct = (
  deps: StoreWriteDeps,
  caller: Caller,
  id: string,
  request: WriteRequest,
): Promise<OperationResult> =>
  runAuditedOnce(deps, request, { documents: [id] }, async ({ session }) => {
    await findProduct(deps, caller, id, session)
    const now = deps.now()
    await rawCollection(deps.Product).updateOne(
      { _id: id },
      { $set: { listed: false, deletedAt: now, updatedAt: now, skus: [] }, $unset: { handle: 1 } },
      { session },
    )
    return { _id: id, deleted: true }
  })

/** Omitted variants stay unchanged unless `removesOthers` is set. */
interface ProductChange {
  fields: Partial<Pick<Product, 'name' | 'description' | 'images' | 'active'>>
  variants: VariantChange[] | null
  removesOthers: boolean
  givenSkus: SkuParams
}

/** Changes the variant with this id or label, or else the only variant. */
interface VariantChange {
  /** The prefix of the field names in the request, e.g. `variants[0].`. */
  prefix: string
  _id: string | null
  set: Partial<Omit<Variant, '_id'>>
}

interface ChangedVariant {
  entry: VariantChange
  old: Variant | null
  variant: Variant
}

type Changeable = Pick<Product, 'variants'>

function changedProduct(product: Changeable, change: ProductChange): Partial<Product> {
  if (change.variants === null) return change.fields
  const changed = change.variants.map((entry) => applyEntry(product, entry))
  refuseDuplicates(changed)
  const changeOf = ({ _id }: Variant) => changed.find(({ variant }) => variant._id === _id)
  const kept = change.removesOthers ? [] : product.variants.filter((old) => !changeOf(old))
  refuseKeptSkus(kept, changed, change.givenSkus)
  const variants = change.removesOthers
    ? changed.map(({ variant }) => variant)
    : [
        ...product.variants.map((old) => changeOf(old)?.variant ?? old),
        ...changed.filter(({ old }) => old === null).map(({ variant }) => variant),
      ]
  const problem = `can contain at most ${schema.maxProductVariants} variants, but the product would have ${variants.length}`
  if (variants.length > schema.maxProductVariants) throw invalid('variants', problem)
  return { ...change.fields, variants, skus: collectSkus(variants) }
}

function applyEntry(product: Changeable, entry: VariantChange): ChangedVariant {
  const old = findVariant(product, entry)
  if (old !== null) return { entry, old, variant: { ...old, ...entry.set } }
  const { prefix, set } = entry
  const { label = '', price } = set
  if (price === undefined) throw invalid(`${prefix}price`, 'is required for a new variant')
  return { entry, old, variant: buildVariant({ ...set, label, price }) }
}

function findVariant(product: Changeable, { prefix, _id, set }: VariantChange): Variant | null {
  if (_id !== null) return getVariantById(product, _id, `${prefix}_id`)
  const { label } = set
  const [only, ...more] = product.variants
  if (label !== undefined)
    return product.variants.some((variant) => variant.label === label)
      ? getVariantByLabel(product, label, `${prefix}label`)
      : null
  if (only !== undefined && more.length === 0) return only
  throw invalid(Object.keys(set)[0] ?? 'variants', 'must be in variants, as the product has more than one')
}

function refuseDuplicates(changed: ChangedVariant[]): void {
  const seen = new Set<string>()
  for (const { entry, variant } of changed) {
    const param = `${entry.prefix}${entry._id === null ? 'label' : '_id'}`
    if (seen.has(variant._id)) throw invalid(param, 'identifies the same variant as another entry')
    seen.add(variant._id)
  }
}

/** `mapSkusToParams` has already compared the new SKUs with each other. */
function refuseKeptSkus(kept: Variant[], changed: ChangedVariant[], givenSkus: SkuParams): void {
  const keeping = changed.filter(({ entry }) => entry.set.sku === undefined).map(({ variant }) => variant)
  const taken = new Set(collectSkus([...kept, ...keeping]))
  for (const [sku, param] of givenSkus)
    if (taken.has(sku)) throw skuRefusal(param, `${param} is in use by another variant.`)
}

const invalid = (param: string, problem: string): Refusal =>
  refuse('VALIDATION_ERROR', { param, message: `${param} ${problem}.` })

export const parseStockChange = (deps: Pick<Deps, 'validate'>, body: unknown): schema.ChangeStockBody =>
  deps.validate(schema.changeStockBody, body) as schema.ChangeStockBody

export const changeStock = (
  deps: StoreWriteDeps,
  caller: Caller,
  { productId, idOrLabel }: { productId: string; idOrLabel: string },
  change: schema.ChangeStockBody,
  request: WriteRequest,
): Promise<OperationResult> =>
  runAuditedOnce(deps, request, { documents: [productId] }, async ({ session }) => {
    const variant = pickVariant(await findProduct(deps, caller, productId, session), idOrLabel, null)
    const stock = 'stock' in change ? change.stock : sumOf(productId, variant, change.delta)
    await rawCollection(deps.Product).updateOne(
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
  if (available + delta > schema.maxStockUnits)
    throw refuse('VALIDATION_ERROR', {
      param: 'delta',
      message: `delta must not bring the stock above ${schema.maxStockUnits}. The stock is now ${available}.`,
    })
  return available + delta
}
