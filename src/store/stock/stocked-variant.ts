import { isId } from '../../security/ids.ts'
import type { Variant } from '../products/product.ts'

/** A variant as it is after its stock changed: with nulls where that was done and it is gone since, or nobody can tell any more which it was. */
export type StockedVariant = { productId: string } & (
  | Variant
  | { _id: string | null; label: null; sku: null; price: null; stock: null }
)

/** The variant with this `_id`, else the only one with this label. It refuses nothing: what is told of here is done. */
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
