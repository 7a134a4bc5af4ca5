import { maxProductBytes } from '../../../schemas/product-limits.ts'
import { refuse } from '../../errors.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import { newId } from '../../security/ids.ts'
import { skusOf } from './given-skus.ts'
import type { Product, Variant } from './product.ts'

/** The fields that must be given for a new product. */
export type ProductDescription = Pick<
  Product,
  'businessId' | 'sandbox' | '_id' | 'handle' | 'name' | 'description' | 'images' | 'active' | 'variants'
>

/** Returns a new product with the given fields and with the initial values of all other fields. */
export const newProduct = (described: ProductDescription, now: Date): Product => ({
  ...described,
  skus: skusOf(described.variants),
  listed: true,
  deletedAt: null,
  createdAt: now,
  updatedAt: now,
})

export const tooLarge = (bytes: number): string =>
  `The product would take up ${bytes} bytes. It can take up at most ${maxProductBytes}. Shorten its texts, or give it fewer variants.`

/** Returns how many bytes a product takes up. Throws PAYLOAD_TOO_LARGE if these are too many. */
export function checkedBytes(product: Product): number {
  const bytes = bytesOf(product)
  if (bytes > maxProductBytes) throw refuse('PAYLOAD_TOO_LARGE', { message: tooLarge(bytes) })
  return bytes
}

/** Returns a new variant. If no SKU is given, the variant has none. If no stock is given, the stock is 0. */
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
