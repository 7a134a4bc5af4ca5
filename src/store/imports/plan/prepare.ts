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
import { type FoundPlan, variantsOf } from './plan.ts'

type PrepareDeps = Pick<Deps, 'Product' | 'now'>
type PlanMark = Pick<FoundPlan, 'businessId' | 'sandbox' | 'token'>

/**
 * Stores what is new, unlisted, and marks what is to be changed, with the SKUs it is to get, all under the plan's token. Nobody sees anything of it, nobody
 * else can have those handles and SKUs any more, and until the mark goes nobody else changes variants of a marked product, but for their stock. False when
 * somebody was quicker with one of them; part of it may stand then.
 */
export async function prepare(
  deps: PrepareDeps,
  plan: PlanMark,
  { created, changed }: Pick<Comparison, 'created' | 'changed'>,
): Promise<boolean> {
  const now = deps.now()
  const products = nativeCollection(deps.Product)
  try {
    for (const some of batchesOf(created, ({ variants }) => variants.length)) {
      const fresh = some.map((each) => unlisted(plan, each, now))
      await products.insertMany(fresh, { ordered: false })
    }
    for (const some of batchesOf(changed, ({ patch }) => variantsOf(patch))) {
      const marking = some.map((each) => mark(plan, each))
      const { matchedCount } = await products.bulkWrite(marking, { ordered: false })
      if (matchedCount < some.length) return false
    }
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

const unlisted = ({ businessId, sandbox, token }: PlanMark, made: NewProduct, now: Date): Product => ({
  ...newProduct({ ...made, _id: newId(), businessId, sandbox, images: [] }, now),
  listed: false,
  prepared: { by: token },
})

/**
 * Marked is only what the file was compared with: variants with these ids, and no other of them has a SKU that the file gives, or they are to be judged
 * anew. Their stock may be another, and the rest of the product too. The revision grows, so that whoever works out the product's variants from what he read
 * before reads again.
 */
function mark(
  { token }: PlanMark,
  { patch, seenVariants }: ChangedProduct,
): mongo.AnyBulkWriteOperation<Product> {
  const skus = skusOf([...patch.variants, ...patch.added])
  const givenOne = patch.variants.filter(({ sku }) => sku !== undefined).map(({ _id }) => _id)
  const keepsOne = { _id: { $nin: givenOne }, sku: { $in: skus } }
  return {
    updateOne: {
      filter: {
        _id: patch.productId,
        listed: true,
        prepared: null,
        $expr: { $eq: ['$variants._id', { $literal: seenVariants }] },
        ...(skus.length === 0 ? {} : { variants: { $not: { $elemMatch: keepsOne } } }),
      },
      update: {
        $addToSet: { skus: { $each: skus } },
        $set: { prepared: { by: token } },
        $inc: { revision: 1 },
      },
    },
  }
}

/** Whether a write failed for nothing but handles and SKUs in use. What a lost connection left of it nobody can tell. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false
  const faults = [error.writeErrors].flat()
  const isTold = faults.length > 0 && error.result.getWriteConcernError() === undefined
  return isTold && faults.every(({ code }) => code === 11000)
}
