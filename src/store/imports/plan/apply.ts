import type { mongo } from 'mongoose'
import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { Product } from '../../products/product.ts'
import { batchesOf } from '../file/batches-of.ts'
import { patchOnce } from './patch-product.ts'
import { countVariants, type ImportPlan } from './plan.ts'

type ApplyDeps = Pick<Deps, 'Product' | 'now'>

/**
 * Applies a committed plan's changes and makes its new products visible. Any process may call this function at any
 * time, even concurrently with other processes. No change is made twice, because the write that changes a product also
 * removes the plan's token from that product. A deleted product has no token either, so the plan does not change it.
 */
export async function apply(deps: ApplyDeps, { token, patches }: Pick<ImportPlan, 'token' | 'patches'>): Promise<void> {
  const products = nativeCollection(deps.Product)
  const updatedAt = deps.now()
  for (const batch of batchesOf(patches, countVariants)) {
    const updates = batch.map(
      (patch): mongo.AnyBulkWriteOperation<Product> => ({ updateOne: patchOnce(token, patch, updatedAt) }),
    )
    await products.bulkWrite(updates, { ordered: false })
  }
  await products.updateMany(
    { 'prepared.by': token, listed: false, deletedAt: null },
    { $set: { listed: true, prepared: null } },
  )
}
