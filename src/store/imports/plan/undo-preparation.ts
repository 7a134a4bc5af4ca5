import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import type { Product } from '../../products/product.ts'

/**
 * Undoes the preparations that an import made under this token. Call this function only for an import that can no
 * longer be committed. The function may be called more than once.
 */
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
 * Undoes the preparations in a shop that do not belong to an open plan. Such preparations were made by late writes of
 * imports that have already ended. If they stayed, they would block handles and SKUs. The caller must hold the shop's
 * open plan.
 */
export async function undoLatePreparations(
  deps: Pick<Deps, 'Product' | 'ImportPlan'>,
  { businessId, sandbox }: Pick<Product, 'businessId' | 'sandbox'>,
): Promise<void> {
  const late = nativeCollection(deps.Product).find(
    { 'prepared.by': { $exists: true }, businessId, sandbox },
    // The hint selects this index because only a few products are prepared at any time, whereas a shop may have many
    // products.
    { hint: 'prepared', projection: { 'prepared.by': 1 } },
  )
  const tokens = new Set((await late.toArray()).flatMap(({ prepared }) => prepared?.by ?? []))
  await undoOrphanedPreparations(deps, [...tokens])
}

/**
 * Undoes the preparations that were made under these tokens, except for tokens that belong to an open plan. Each
 * attempt has its own token and stores its plan before it prepares any product. If a product has a token that no open
 * plan has, the attempt with that token must therefore have ended.
 */
export async function undoOrphanedPreparations(
  deps: Pick<Deps, 'Product' | 'ImportPlan'>,
  tokens: readonly string[],
): Promise<void> {
  if (tokens.length === 0) return
  const plans = nativeCollection(deps.ImportPlan)
    // The hint selects this index because only a few plans are open, whereas many finished plans are kept.
    .find({ open: true, token: { $in: [...tokens] } }, { hint: 'unfinished', projection: { token: 1 } })
  const alive = new Set((await plans.toArray()).map(({ token }) => token))
  for (const token of tokens) if (!alive.has(token)) await undoPreparation(deps, token)
}
