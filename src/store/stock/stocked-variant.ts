import { isId } from '../../security/ids.ts'
import type { Variant } from '../products/product.ts'

/**
 * A variant after its stock was changed. The fields are null if the variant was removed in the meantime, or if its
 * label has become ambiguous.
 */
export type StockedVariant = { productId: string } & (
  | Variant
  | { _id: string | null; label: null; sku: null; price: null; stock: null }
)

/**
 * Returns the variant with this `_id`, or else the only variant with this label. Never throws, because the change has
 * already been made.
 */
export function stockedVariant(
  productId: string,
  variants: readonly Variant[],
  idOrLabel: string,
): StockedVariant {
  const labelled = variants.filter(({ label }) => label === idOrLabel)
  const variant =
    variants.find(({ _id }) => _id === idOrLabel) ?? (labelled.length === 1 ? labelled[0] : undefined)
  if (variant !== undefined) return { productId, ...variant }
  return {
    productId,
    _id: isId(idOrLabel) ? idOrLabel : null,
    label: null,
    sku: null,
    price: null,
    stock: null,
  }
}
