import { type CreateProductBody, createProductBody } from '../../../schemas/create-product.ts'
import type { Deps } from '../../deps.ts'
import { type GivenSkus, readSkus } from './given-skus.ts'
import { newVariant } from './new-product.ts'
import { defaultLabel, type Product } from './product.ts'

/** What a merchant asks for in a create; the rest of the product is the service's. */
export interface ProductRequest
  extends Pick<Product, 'name' | 'description' | 'images' | 'active' | 'variants'> {
  givenSkus: GivenSkus
}

/** Judges the body of a create (SPEC 4.9). Without `variants` there is one, of what stands beside the name. */
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
