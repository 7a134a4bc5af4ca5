import { newId } from '../src/security/ids.ts'
import { newProduct, newVariant } from '../src/store/products/new-product.ts'
import type { Product } from '../src/store/products/product.ts'

/** Nobody runs out during a load. */
export const startStock = 1_000_000

/** A live product with three sizes, as POST leaves it in MongoDB. */
export function makeProduct(businessId: string, place: number): Product {
  const _id = newId()
  const variants = ['S', 'M', 'L'].map((label) =>
    newVariant({ label, sku: `MLF-${place}-${label}`, price: 150_000, stock: startStock }),
  )
  const described = {
    _id,
    businessId,
    sandbox: false,
    handle: _id,
    name: `Melhfa brodée ${place}`,
    description: 'Voile de coton teint à la main à Nouakchott, brodé, 4,5 m. Lavage à froid.',
    images: [`https://boutique.example/photos/${place}.jpg`],
    active: true,
    variants,
  }
  return newProduct(described, new Date())
}
