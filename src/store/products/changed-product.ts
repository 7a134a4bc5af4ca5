import { maxVariants } from '../../../schemas/product-limits.ts'
import { type Refusal, refuse } from '../../errors.ts'
import { type GivenSkus, newVariant, skusOf, skuTaken } from './new-product.ts'
import { type Product, type Variant, variantById, variantByLabel } from './product.ts'

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
export function changedProduct(product: Changeable, change: ProductChange): Partial<Product> {
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
function refuseKeptSkus(kept: Variant[], changed: ChangedVariant[], given: GivenSkus): void {
  const keeping = changed.filter(({ entry }) => entry.set.sku === undefined).map(({ variant }) => variant)
  const taken = new Set(skusOf([...kept, ...keeping]))
  for (const [sku, param] of given) if (taken.has(sku)) throw skuTaken(param, `${param} is in use by another variant.`)
}

const invalid = (param: string, problem: string): Refusal =>
  refuse('VALIDATION_ERROR', { param, message: `${param} ${problem}.` })
