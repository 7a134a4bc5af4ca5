import { newId } from '../../security/ids.ts'
import type { Product, Variant } from './product.ts'
import { skusOf } from './skus.ts'

/** What is said of a product that is to be made. */
export type Described = Pick<
  Product,
  'businessId' | 'sandbox' | '_id' | 'handle' | 'name' | 'description' | 'images' | 'active' | 'variants'
>

/** A product as it is stored first: nothing has happened to it yet. */
export const newProduct = (described: Described, now: Date): Product => ({
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

/** A variant that is not there yet; without a SKU or a stock where none is given. */
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
