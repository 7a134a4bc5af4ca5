import { newId } from '../src/platform/ids.ts'
import { newProduct, newVariant } from '../src/store/products/create.ts'
import type { Product } from '../src/store/products/product.ts'

/** More units than any load sells. */
export const startStock = 1_000_000

/** Returns a live product with three sizes, as the API stores it. */
export function makeProduct(businessId: string, index: number): Product {
  const _id = newId()
  const variants = ['S', 'M', 'L'].map((label) =>
    newVariant({ label, sku: `MLF-${index}-${label}`, price: 150_000, stock: startStock }),
  )
  const described = {
    _id,
    businessId,
    sandbox: false,
    handle: _id,
    name: `Melhfa brodée ${index}`,
    description: 'Voile de coton teint à la main à Nouakchott, brodé, 4,5 m. Lavage à froid.',
    images: [`https://boutique.example/photos/${index}.jpg`],
    active: true,
    variants,
  }
  return newProduct(described, new Date())
}
