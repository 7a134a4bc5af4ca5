import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { Product } from '../../products/product.ts'

/** Takes back all that was prepared under a token whose import never happens; twice is once. */
export async function undoPreparation(deps: Pick<Deps, 'Product'>, token: string): Promise<void> {
  const products = nativeCollection(deps.Product)
  await products.deleteMany({ 'prepared.by': token, listed: false })
  await products.updateMany({ 'prepared.by': token, listed: true }, [
    {
      $set: {
        skus: { $filter: { input: '$variants.sku', cond: { $ne: ['$$this', null] } } },
        prepared: null,
        revision: { $add: ['$revision', 1] },
      },
    },
  ])
}

/**
 * The same for all that stands prepared in a shop whose place is taken: its import is over, though a write of its own landed late, and would hold
 * handles and SKUs.
 */
export async function undoLatePreparations(
  deps: Pick<Deps, 'Product' | 'ImportPlan'>,
  { businessId, sandbox }: Pick<Product, 'businessId' | 'sandbox'>,
): Promise<void> {
  const late = nativeCollection(deps.Product).find(
    { 'prepared.by': { $exists: true }, businessId, sandbox },
    // Those prepared are few, a shop's products many.
    { hint: 'prepared', projection: { 'prepared.by': 1 } },
  )
  const tokens = new Set((await late.toArray()).flatMap(({ prepared }) => prepared?.by ?? []))
  await undoOrphanedPreparations(deps, [...tokens])
}

/**
 * The same for tokens that were found on products: of those that no open plan has. Every try has a token of its own, which is on a product
 * only after its plan was stored; so one that is seen there, and then on no open plan, is over for good.
 */
export async function undoOrphanedPreparations(
  deps: Pick<Deps, 'Product' | 'ImportPlan'>,
  tokens: readonly string[],
): Promise<void> {
  if (tokens.length === 0) return
  const plans = nativeCollection(deps.ImportPlan)
    // Those open are few, those kept many.
    .find({ open: true, token: { $in: [...tokens] } }, { hint: 'unfinished', projection: { token: 1 } })
  const alive = new Set((await plans.toArray()).map(({ token }) => token))
  for (const token of tokens) if (!alive.has(token)) await undoPreparation(deps, token)
}
