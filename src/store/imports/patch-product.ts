import type { Product, Variant } from '../products/product.ts'
import { skusOf } from '../products/skus.ts'
import type { ProductPatch } from './plan.ts'

/** The fields that a patch sets of a product. */
export type Patched = ProductPatch['set'] & Pick<Product, 'variants' | 'skus'>

/**
 * A product after a patch, whatever became of it since the patch was made: a variant that is gone stays gone, and a SKU that another of its
 * variants was given meanwhile stays with that one.
 */
export function patchProduct(product: Pick<Product, 'variants'>, patch: ProductPatch): Patched {
  const changes = new Map(patch.variants.map((change) => [change._id, change]))
  const kept = new Set(skusOf(product.variants.filter(({ _id }) => changes.get(_id)?.sku === undefined)))
  const unlessKept = (variant: Variant): Variant =>
    variant.sku !== null && kept.has(variant.sku) ? { ...variant, sku: null } : variant
  const changed = product.variants.map((variant) => {
    const change = changes.get(variant._id)
    return change?.sku === undefined ? { ...variant, ...change } : unlessKept({ ...variant, ...change })
  })
  const variants = [...changed, ...patch.added.map(unlessKept)]
  return { ...patch.set, variants, skus: skusOf(variants) }
}
