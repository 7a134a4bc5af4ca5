import { type CreateProductBody, createProductBody } from '../../../schemas/create-product.ts'
import type { Deps } from '../../deps.ts'
import { type GivenSkus, readSkus } from './given-skus.ts'
import { newVariant } from './new-product.ts'
import { defaultLabel, type Product } from './product.ts'

/** The fields of a new product that come from the request. */
export interface ProductRequest extends Pick<Product, 'name' | 'description' | 'images' | 'active' | 'variants'> {
  givenSkus: GivenSkus
}

/**
 * Parses the body of a create request (SPEC 4.9). If `variants` is omitted, the price, stock and SKU at the top level
 * of the request apply to the product's only variant.
 */
export function parseCreate(deps: Pick<Deps, 'validate'>, body: unknown): ProductRequest {
  const input = deps.validate<CreateProductBody>(createProductBody, body)
  const given =
    input.variants === undefined
      ? [{ label: defaultLabel, price: input.price, stock: input.stock, sku: input.sku, prefix: '' }]
      : input.variants.map((variant, index) => ({ ...variant, prefix: `variants[${index}].` }))
  return {
    name: input.name,
    description: input.description ?? '',
    images: input.images ?? [],
    active: input.active ?? true,
    variants: given.map(newVariant),
    givenSkus: readSkus(given),
  }
}
