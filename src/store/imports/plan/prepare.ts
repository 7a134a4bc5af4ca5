import { mongo } from 'mongoose'
import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import { newId } from '../../../security/ids.ts'
import { newProduct } from '../../products/new-product.ts'
import type { Product } from '../../products/product.ts'
import { skusOf } from '../../products/skus.ts'
import { batchesOf } from '../file/batches-of.ts'
import type { Comparison } from './compare.ts'
import type { ChangedProduct, NewProduct } from './compare-product.ts'
import { countVariants, type FoundPlan } from './plan.ts'

type PrepareDeps = Pick<Deps, 'Product' | 'now'>
type PlanIdentity = Pick<FoundPlan, 'businessId' | 'sandbox' | 'token'>

/**
 * Prepares the import. Stores the new products without listing them, and reserves new SKUs for the existing products
 * that will change. All of these products are marked with the plan's token. Merchants do not see any change yet. From
 * now on, no other request can take the handles and SKUs, and the only change that other requests can make to the
 * variants of these products is to their stock. Returns false if another request has already taken a handle or SKU, or
 * has changed a product and thereby invalidated the product's comparison with the file. In that case, some products may
 * already be prepared.
 */
export async function prepare(
  deps: PrepareDeps,
  plan: PlanIdentity,
  { created, changed }: Pick<Comparison, 'created' | 'changed'>,
): Promise<boolean> {
  const now = deps.now()
  const products = nativeCollection(deps.Product)
  try {
    for (const batch of batchesOf(created, ({ variants }) => variants.length)) {
      const inserted = batch.map((each) => unlisted(plan, each, now))
      await products.insertMany(inserted, { ordered: false })
    }
    for (const batch of batchesOf(changed, ({ patch }) => countVariants(patch))) {
      const updates = batch.map((each) => reserveProduct(plan, each))
      const { matchedCount } = await products.bulkWrite(updates, { ordered: false })
      if (matchedCount < batch.length) return false
    }
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

const unlisted = ({ businessId, sandbox, token }: PlanIdentity, created: NewProduct, now: Date): Product => ({
  ...newProduct({ ...created, _id: newId(), businessId, sandbox, images: [] }, now),
  listed: false,
  prepared: { by: token },
})

/**
 * Returns the write that prepares an existing product. The write matches only if the product still has exactly the
 * variants that were compared. In addition, no variant that keeps its SKU may have a SKU that the import gives to a
 * different variant. Other fields of the product and the stock may have changed since the comparison. The write
 * increments the revision, so that concurrent requests that change the variants have to read the product again.
 */
function reserveProduct(
  { token }: PlanIdentity,
  { patch, comparedVariants }: ChangedProduct,
): mongo.AnyBulkWriteOperation<Product> {
  const skus = skusOf([...patch.variants, ...patch.added])
  const getNewSku = patch.variants.filter(({ sku }) => sku !== undefined).map(({ _id }) => _id)
  const keepsGivenSku = { _id: { $nin: getNewSku }, sku: { $in: skus } }
  return {
    updateOne: {
      filter: {
        _id: patch.productId,
        listed: true,
        prepared: null,
        $expr: { $eq: ['$variants._id', { $literal: comparedVariants }] },
        ...(skus.length === 0 ? {} : { variants: { $not: { $elemMatch: keepsGivenSku } } }),
      },
      update: {
        $addToSet: { skus: { $each: skus } },
        $set: { prepared: { by: token } },
        $inc: { revision: 1 },
      },
    },
  }
}

/**
 * Returns whether the write failed only because handles or SKUs are in use. Returns false after a lost connection,
 * because the outcome of the write is then unknown.
 */
function isTaken(error: unknown): boolean {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false
  const faults = [error.writeErrors].flat()
  const isComplete = faults.length > 0 && error.result.getWriteConcernError() === undefined
  return isComplete && faults.every(({ code }) => code === 11000)
}
