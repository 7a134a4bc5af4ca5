import { maxStock } from '../../../schemas/product-limits.ts'
import type { Reservation } from '../products/product.ts'

/**
 * Returns an update expression for a product's variants, which adds `sign` times each item's quantity to the stock of
 * its variant. Variants that have been removed in the meantime are skipped. The new stock is capped at `maxStock`,
 * because the merchant may have set a higher stock in the meantime.
 */
export const adjustedStock = (items: Reservation['items'], sign: 1 | -1) => ({
  $map: {
    input: '$variants',
    as: 'variant',
    in: { $mergeObjects: ['$$variant', { stock: { $min: [maxStock, sumOf(items, sign)] } }] },
  },
})

const sumOf = (items: Reservation['items'], sign: 1 | -1) => ({
  $add: [
    '$$variant.stock',
    ...items.map(({ variantId, quantity }) => ({
      $cond: [{ $eq: ['$$variant._id', variantId] }, sign * quantity, 0],
    })),
  ],
})
