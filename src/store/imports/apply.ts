import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { unavailable } from '../../errors.ts'
import { recorded } from '../../idempotency/effect.ts'
import { inSlices } from './in-slices.ts'
import { patchProduct } from './patch-product.ts'
import type { ImportPlan, ProductPatch } from './plan.ts'

type ApplyDeps = Pick<Deps, 'Product' | 'now'>

/** Each time somebody else changed one of the products between a read and a write. Who comes next goes on. */
const mostTries = 100

/** Makes a committed plan's changes, and shows its new products. Anybody may, any number of times and at once. */
export async function apply(deps: ApplyDeps, plan: Pick<ImportPlan, 'token' | 'patches'>): Promise<void> {
  for (const patches of inSlices(plan.patches)) await applyPatches(deps, plan.token, patches)
  await pastMongoose(deps.Product).updateMany(
    { 'prepared.by': plan.token, listed: false },
    { $set: { listed: true, prepared: null } },
  )
}

async function applyPatches(deps: ApplyDeps, token: string, patches: readonly ProductPatch[]): Promise<void> {
  const byId = new Map(patches.map((patch) => [patch.productId, patch]))
  const products = pastMongoose(deps.Product)
  for (let tries = 0; tries < mostTries; tries += 1) {
    // One that has the token has its patch; one that was deleted needs none.
    const due = { _id: { $in: [...byId.keys()] }, listed: true, effects: { $ne: token } }
    const found = await products.find(due, { projection: { variants: 1, revision: 1 } }).toArray()
    if (found.length === 0) return
    const updatedAt = deps.now()
    const updates = found.map((product) => ({
      updateOne: {
        filter: { _id: product._id, revision: product.revision, listed: true, effects: { $ne: token } },
        update: {
          $set: {
            ...patchProduct(product, byId.get(product._id) as ProductPatch),
            prepared: null,
            updatedAt,
          },
          $inc: { revision: 1 },
          $push: recorded(token),
        },
      },
    }))
    const { matchedCount } = await products.bulkWrite(updates, { ordered: false })
    if (matchedCount === found.length) return
  }
  throw unavailable()
}
