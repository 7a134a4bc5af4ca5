import { maxStock } from '../../../schemas/product-limits.ts'
import type { Reservation } from '../products/product.ts'

/**
 * Returns an update expression that adjusts the stock of a product's variants. For each item, the expression adds the
 * item's quantity to the stock of the item's variant, or subtracts it if `sign` is -1. Items whose variant has been
 * removed in the meantime are skipped. The new stock is limited to `maxStock`, which it could otherwise exceed if the
 * merchant has raised the stock in the meantime.
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
