import { isId } from '../../security/ids.ts'
import type { Variant } from '../products/product.ts'

/**
 * A variant after a change to its stock. Its fields are null if the variant has been removed since the change, or if
 * its label has become ambiguous.
 */
export type StockedVariant = { productId: string } & (
  | Variant
  | { _id: string | null; label: null; sku: null; price: null; stock: null }
)

/**
 * Returns the variant with this `_id`, or otherwise the only variant with this label. Never throws, because the change
 * to the stock has already been made.
 */
export function stockedVariant(productId: string, variants: readonly Variant[], idOrLabel: string): StockedVariant {
  const labelled = variants.filter(({ label }) => label === idOrLabel)
  const variant = variants.find(({ _id }) => _id === idOrLabel) ?? (labelled.length === 1 ? labelled[0] : undefined)
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
