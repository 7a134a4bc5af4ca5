import { mongo } from 'mongoose'
import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../ids.ts'
import type { Product } from '../products/product.ts'
import { skusOf } from '../products/skus.ts'
import type { Comparison } from './compare.ts'
import type { NewProduct, WantedSkus } from './compare-product.ts'
import { inSlices } from './in-slices.ts'
import type { ImportPlan } from './plan.ts'

type PrepareDeps = Pick<Deps, 'Product' | 'now'>

/**
 * Stores what is new, unlisted, and takes the SKUs that products are to get, all under the plan's token. Nobody sees anything of it, and nobody
 * else can have those handles and SKUs any more. False when somebody was quicker with one of them; part of it may stand then.
 */
export async function prepare(
  deps: PrepareDeps,
  plan: ImportPlan,
  { created, wanted }: Comparison,
): Promise<boolean> {
  const now = deps.now()
  const products = pastMongoose(deps.Product)
  const fresh = created.map((each) => unlisted(plan, each, now))
  const taking = wanted.map((each) => takeSkus(plan, each, now))
  try {
    for (const some of inSlices(fresh)) await products.insertMany(some, { ordered: false })
    for (const some of inSlices(taking)) {
      const { matchedCount } = await products.bulkWrite(some, { ordered: false })
      if (matchedCount < some.length) return false
    }
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

const unlisted = (
  { businessId, sandbox, token }: ImportPlan,
  { handle, name, description, active, variants }: NewProduct,
  now: Date,
): Product => ({
  _id: newId(),
  businessId,
  sandbox,
  handle,
  name,
  description,
  images: [],
  active,
  variants,
  skus: skusOf(variants),
  listed: false,
  prepared: { by: token, skus: [], at: now },
  reservations: [],
  revision: 0,
  deletedAt: null,
  createdAt: now,
  updatedAt: now,
  effects: [],
})

/**
 * Also those that the product has already: a change of it could let them go before they are where they are to be. The revision grows, so that
 * whoever works out the product's SKUs from what he read before reads again. Not where a variant was given a fresh one since the look: then
 * the file is to be judged anew.
 */
const takeSkus = (
  { token }: ImportPlan,
  { productId, skus, fresh }: WantedSkus,
  now: Date,
): mongo.AnyBulkWriteOperation<Product> => ({
  updateOne: {
    filter: { _id: productId, listed: true, prepared: null, skus: { $nin: fresh } },
    update: {
      $addToSet: { skus: { $each: skus } },
      $set: { prepared: { by: token, skus, at: now } },
      $inc: { revision: 1 },
    },
  },
})

/** Whether a write failed for nothing but handles and SKUs in use. What a lost connection left of it nobody can tell. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false
  const faults = [error.writeErrors].flat()
  const isTold = faults.length > 0 && error.result.getWriteConcernError() === undefined
  return isTold && faults.every(({ code }) => code === 11000)
}
