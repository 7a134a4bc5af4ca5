import { refuse } from '../../errors.ts'
import type { Product, Variant } from './product.ts'

type Variants = Pick<Product, 'variants'>

/**
 * Finds a variant by its `_id`. If no variant has this `_id`, finds the variant by its label. Throws VARIANT_NOT_FOUND
 * or VARIANT_LABEL_AMBIGUOUS. `param` is the name of the request field that identifies the variant, or null if the path
 * of the request identifies it.
 */
export const pickVariant = (product: Variants, idOrLabel: string, param: string | null): Variant =>
  product.variants.find(({ _id }) => _id === idOrLabel) ?? variantByLabel(product, idOrLabel, param)

/** Returns the variant with this id. Throws VARIANT_NOT_FOUND if there is no such variant. */
export function variantById({ variants }: Variants, id: string, param: string): Variant {
  const variant = variants.find(({ _id }) => _id === id)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', { param })
  return variant
}

/**
 * Returns the only variant with this label. Throws VARIANT_NOT_FOUND if no variant has the label. If several variants
 * have it, throws VARIANT_LABEL_AMBIGUOUS with the ids of these variants.
 */
export function variantByLabel({ variants }: Variants, label: string, param: string | null): Variant {
  const [variant, ...others] = variants.filter((each) => each.label === label)
  const field = param === null ? {} : { param }
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', field)
  if (others.length > 0)
    throw refuse('VARIANT_LABEL_AMBIGUOUS', {
      ...field,
      details: { variantIds: [variant, ...others].map(({ _id }) => _id) },
    })
  return variant
}
