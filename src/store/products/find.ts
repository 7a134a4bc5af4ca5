import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { requireShop } from '../shops/open-shop.ts'
import type { Product } from './product.ts'

/** The filter of the caller's own product that is there. */
export const ownProduct = ({ businessId, sandbox }: Caller, id: string) => ({
  _id: id,
  businessId,
  sandbox,
  listed: true,
})

/** A product without what may make it large: the answer of its create, and the effects. */
export type ReadProduct = Omit<Product, 'answer' | 'effects'>

/** A product with the effects, for whoever asks whether his is among them. */
export type TracedProduct = Omit<Product, 'answer'>

/** With its effects, the product of the caller's business, of either environment, deleted or not. */
export const traceProduct = (
  deps: Pick<Deps, 'Product'>,
  { businessId }: Caller,
  id: string,
): Promise<TracedProduct | null> =>
  deps.Product.findOne({ _id: id, businessId }, { answer: 0 }).lean<TracedProduct | null>()

/**
 * The caller's own product. SHOP_NOT_FOUND; PRODUCT_NOT_FOUND for one that is unknown, deleted or another business's; SANDBOX_MISMATCH for
 * one of the caller's other environment.
 */
export async function findProduct(
  deps: Pick<Deps, 'Shop' | 'Product'>,
  caller: Caller,
  id: string,
): Promise<ReadProduct> {
  const { businessId } = caller
  const read = deps.Product.findOne({ _id: id, businessId }, { answer: 0, effects: 0 })
  return visibleTo(deps, caller, await read.lean<ReadProduct | null>())
}

/** What was read, if it is there for the caller; else throws as findProduct does. */
export async function visibleTo<Read extends Pick<Product, 'listed' | 'sandbox'>>(
  deps: Pick<Deps, 'Shop'>,
  caller: Caller,
  read: Read | null,
): Promise<Read> {
  if (read?.listed && read.sandbox === caller.sandbox) return read
  await requireShop(deps, caller)
  throw refuse(read?.listed ? 'SANDBOX_MISMATCH' : 'PRODUCT_NOT_FOUND')
}
