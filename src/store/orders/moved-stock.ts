import { maxStock } from '../../../schemas/product-limits.ts'
import type { Reservation } from '../products/product.ts'

/**
 * The variants of a product, as an expression for an update, with the stock of each item's variant moved by its quantity times `sign`. One
 * that is there no more is left out; what comes back to a stock that was set meanwhile goes no higher than the highest.
 */
export const movedStock = (items: Reservation['items'], sign: 1 | -1) => ({
  $map: {
    input: '$variants',
    as: 'variant',
    in: { $mergeObjects: ['$$variant', { stock: { $min: [maxStock, movedBy(items, sign)] } }] },
  },
})

const movedBy = (items: Reservation['items'], sign: 1 | -1) => ({
  $add: [
    '$$variant.stock',
    ...items.map(({ variantId, quantity }) => ({
      $cond: [{ $eq: ['$$variant._id', variantId] }, sign * quantity, 0],
    })),
  ],
})
