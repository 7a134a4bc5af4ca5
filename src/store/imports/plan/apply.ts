import type { mongo } from 'mongoose'
import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { Product } from '../../products/product.ts'
import { batchesOf } from '../file/batches-of.ts'
import { patchOnce } from './patch-product.ts'
import { type ImportPlan, variantsOf } from './plan.ts'

type ApplyDeps = Pick<Deps, 'Product' | 'now'>

/**
 * Makes a committed plan's changes, and shows its new products. Anybody may, any number of times and at once: each product loses the plan's mark
 * in the write that changes it, and one that was deleted has none.
 */
export async function apply(
  deps: ApplyDeps,
  { token, patches }: Pick<ImportPlan, 'token' | 'patches'>,
): Promise<void> {
  const products = nativeCollection(deps.Product)
  const updatedAt = deps.now()
  for (const some of batchesOf(patches, variantsOf)) {
    const updates = some.map(
      (patch): mongo.AnyBulkWriteOperation<Product> => ({ updateOne: patchOnce(token, patch, updatedAt) }),
    )
    await products.bulkWrite(updates, { ordered: false })
  }
  await products.updateMany(
    { 'prepared.by': token, listed: false, deletedAt: null },
    { $set: { listed: true, prepared: null } },
  )
}
