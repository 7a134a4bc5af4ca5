import { maxVariants } from '../../../schemas/product-limits.ts'
import { type Refusal, refuse } from '../../errors.ts'
import { type GivenSkus, skuTaken } from './given-skus.ts'
import { newVariant } from './new-product.ts'
import { variantById, variantByLabel } from './pick-variant.ts'
import type { Product, Variant } from './product.ts'
import { skusOf } from './skus.ts'

/** What a merchant asks to be changed; what is not given stays. */
export interface ProductChange {
  fields: Partial<Pick<Product, 'name' | 'description' | 'images' | 'active'>>
  /** Null where none are given. */
  variants: VariantChange[] | null
  /** Whether the variants that are not given go. */
  removesOthers: boolean
  givenSkus: GivenSkus
}

/** What is given of one variant: the one with this `_id`, else with this label; with neither, the only one. */
export interface VariantChange {
  /** What the names of its fields begin with in the request. */
  at: string
  _id: string | null
  set: Partial<Omit<Variant, '_id'>>
}

/** An entry of a change, and the variant that it makes of an old one or anew. */
interface Made {
  entry: VariantChange
  old: Variant | null
  variant: Variant
}

type Changeable = Pick<Product, 'variants'>

/**
 * What is to be set of a product, which no import has prepared, for a change to be made. VARIANT_NOT_FOUND, VARIANT_LABEL_AMBIGUOUS; VALIDATION_ERROR for two entries
 * that mean one variant, a new one without a price, too many or none left, and a SKU that another variant keeps.
 */
export function changedProduct(product: Changeable, change: ProductChange): Partial<Product> {
  if (change.variants === null) return change.fields
  const made = change.variants.map((entry) => make(product, entry))
  refuseTwice(made)
  const kept = change.removesOthers ? [] : product.variants.filter(({ _id }) => !made.some(means(_id)))
  refuseKeptSkus(kept, made, change.givenSkus)
  const variants = change.removesOthers
    ? made.map(({ variant }) => variant)
    : [
        ...product.variants.map((old) => made.find(means(old._id))?.variant ?? old),
        ...made.filter(({ old }) => old === null).map(({ variant }) => variant),
      ]
  refuseCount(variants.length)
  return { ...change.fields, variants, skus: skusOf(variants) }
}

const means =
  (id: string) =>
  ({ variant }: Made): boolean =>
    variant._id === id

function make(product: Changeable, entry: VariantChange): Made {
  const old = meantBy(product, entry)
  if (old !== null) return { entry, old, variant: { ...old, ...entry.set } }
  const { at, set } = entry
  const { label = '', price } = set
  if (price === undefined) throw wrong(`${at}price`, 'is required for a new variant')
  return { entry, old, variant: newVariant({ ...set, label, price }) }
}

/** The variant that an entry means, or null for a new one. */
function meantBy(product: Changeable, { at, _id, set }: VariantChange): Variant | null {
  if (_id !== null) return variantById(product, _id, `${at}_id`)
  const { label } = set
  const [only, ...more] = product.variants
  if (label !== undefined)
    return product.variants.some((variant) => variant.label === label)
      ? variantByLabel(product, label, `${at}label`)
      : null
  if (only !== undefined && more.length === 0) return only
  throw wrong(Object.keys(set)[0] ?? 'variants', 'must be set in variants, because the product has several')
}

function refuseTwice(made: Made[]): void {
  const meant = new Set<string>()
  for (const { entry, variant } of made) {
    const param = `${entry.at}${entry._id === null ? 'label' : '_id'}`
    if (meant.has(variant._id))
      throw wrong(param, 'identifies a variant that another entry already identifies')
    meant.add(variant._id)
  }
}

/** Two that are given with one SKU were refused by the body alone (readSkus). */
function refuseKeptSkus(kept: Variant[], made: Made[], given: GivenSkus): void {
  const keeping = made.filter(({ entry }) => entry.set.sku === undefined).map(({ variant }) => variant)
  const taken = new Set(skusOf([...kept, ...keeping]))
  for (const [sku, param] of given)
    if (taken.has(sku)) throw skuTaken(param, `${param} is in use by another variant.`)
}

function refuseCount(count: number): void {
  if (count > maxVariants)
    throw wrong(
      'variants',
      `can contain at most ${maxVariants} variants, but the product would have ${count}`,
    )
}

const wrong = (param: string, what: string): Refusal =>
  refuse('VALIDATION_ERROR', { param, message: `${param} ${what}.` })
