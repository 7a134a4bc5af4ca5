import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { addSampleProduct } from '../products/create.ts'
import { type Line, type SoldProduct, soldFields } from './lines.ts'

/**
 * The maximum duration of the search, which may have to skip many sold-out products. If the search takes longer than
 * this, the response has the status 503.
 */
const searchTimeoutMs = 2000

/**
 * Returns a line for one unit of a variant that is in stock. The variant belongs to the newest active product with such
 * a variant. If the sandbox has no product at all, adds a sample product and returns 'changed'. If nothing is in stock,
 * but orders hold units that they may still give back, returns 'held'. Otherwise, throws INSUFFICIENT_STOCK.
 */
export async function findAnyLine(
  deps: Deps,
  caller: Caller,
  deadlineAt: number,
): Promise<Line[] | 'held' | 'changed'> {
  const { businessId, sandbox } = caller
  // This comes first, because another order may add the sample product at any moment.
  if (sandbox && (await deps.Product.exists({ businessId, sandbox, listed: true })) === null) {
    await addSampleProduct(deps, caller, deadlineAt)
    return 'changed'
  }
  const sold = { businessId, sandbox, listed: true, active: true }
  const product = await deps.Product.findOne({ ...sold, variants: { $elemMatch: { stock: { $gte: 1 } } } }, soldFields)
    .sort({ createdAt: -1, _id: -1 })
    .maxTimeMS(searchTimeoutMs)
    .lean<SoldProduct | null>()
  const variant = product?.variants.find(({ stock }) => stock >= 1)
  if (product !== null && variant !== undefined) return [{ param: 'items', product, variant, quantity: 1 }]
  const held = { ...sold, 'reservations.reservedAt': { $exists: true } }
  const isHeld = (await deps.Product.exists(held).maxTimeMS(searchTimeoutMs)) !== null
  if (isHeld) return 'held'
  throw refuse('INSUFFICIENT_STOCK', {
    message: 'No variant of an active product is in stock.',
    details: { items: [] },
  })
}
