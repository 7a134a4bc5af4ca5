import type { ProductPatch } from './plan.ts'

/**
 * Returns the write that changes a prepared product. The write merges the patch into the current variants and appends
 * the new variants. Without `$literal`, MongoDB would interpret strings that begin with `$` as field paths.
 */
export const patchOnce = (token: string, { productId, set, variants, added }: ProductPatch, updatedAt: Date) => ({
  filter: { _id: productId, listed: true, 'prepared.by': token },
  update: [
    {
      $set: {
        ...Object.fromEntries(Object.entries(set).map(([field, value]) => [field, { $literal: value }])),
        variants: { $concatArrays: [mergedWith(variants), { $literal: added }] },
        prepared: null,
        revision: { $add: ['$revision', 1] },
        updatedAt,
      },
    },
    { $set: { skus: { $filter: { input: '$variants.sku', cond: { $ne: ['$$this', null] } } } } },
  ],
})

const mergedWith = (changes: ProductPatch['variants']) => ({
  $map: {
    input: '$variants',
    as: 'variant',
    in: { $mergeObjects: ['$$variant', { $first: { $filter: changeOfVariant(changes) } }] },
  },
})

const changeOfVariant = (changes: ProductPatch['variants']) => ({
  input: { $literal: changes },
  as: 'change',
  cond: { $eq: ['$$change._id', '$$variant._id'] },
})
