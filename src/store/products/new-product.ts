import { newId } from '../../security/ids.ts'
import type { Product, Variant } from './product.ts'
import { skusOf } from './skus.ts'

/** The fields that describe a new product. */
export type ProductDescription = Pick<
  Product,
  'businessId' | 'sandbox' | '_id' | 'handle' | 'name' | 'description' | 'images' | 'active' | 'variants'
>

/** Returns a new product as it is first stored. */
export const newProduct = (described: ProductDescription, now: Date): Product => ({
  ...described,
  skus: skusOf(described.variants),
  listed: true,
  prepared: null,
  reservations: [],
  revision: 0,
  deletedAt: null,
  createdAt: now,
  updatedAt: now,
  effects: [],
})

/** Returns a new variant. By default it has no SKU and no stock. */
export const newVariant = (given: {
  label: string
  price: number
  stock?: number | null | undefined
  sku?: string | null | undefined
}): Variant => ({
  _id: newId(),
  label: given.label,
  sku: given.sku ?? null,
  price: given.price,
  stock: given.stock ?? 0,
})
