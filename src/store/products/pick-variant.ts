import { refuse } from '../../errors.ts'
import type { Product, Variant } from './product.ts'

type Variants = Pick<Product, 'variants'>

/** By `_id`, else by label. VARIANT_NOT_FOUND, VARIANT_LABEL_AMBIGUOUS; `param` names the field that asked, null where the path did. */
export const pickVariant = (product: Variants, idOrLabel: string, param: string | null): Variant =>
  product.variants.find(({ _id }) => _id === idOrLabel) ?? variantByLabel(product, idOrLabel, param)

/** VARIANT_NOT_FOUND. */
export function variantById({ variants }: Variants, id: string, param: string): Variant {
  const variant = variants.find(({ _id }) => _id === id)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', { param })
  return variant
}

/** VARIANT_NOT_FOUND; VARIANT_LABEL_AMBIGUOUS, with the ids of those that carry it. */
export function variantByLabel({ variants }: Variants, label: string, param: string | null): Variant {
  const [variant, ...others] = variants.filter((each) => each.label === label)
  const named = param === null ? {} : { param }
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', named)
  if (others.length > 0)
    throw refuse('VARIANT_LABEL_AMBIGUOUS', {
      ...named,
      details: { variantIds: [variant, ...others].map(({ _id }) => _id) },
    })
  return variant
}
